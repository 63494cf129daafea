'use strict';

// The objects that traceTasks(), reportSlowTasks() and the exporters return, which stop them; and
// many of these at once, which share what Node has one of. And the clock of all of them.
// @host portable

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { Registry } = require('prom-client');
const { reportSlowTasks, traceTasks } = require('uv-scheduler/watch');
const { instrumentTasks } = require('../../integrations/opentelemetry');
const { collectTaskMetrics } = require('../../integrations/prometheus');
const { runChild } = require('../helpers/tasks.js');
const { meters } = require('../helpers/exporters.js');
const { useFolder } = require('../helpers/folders.js');
const { isSameClock } = require('../../lib/watch/clock.js');
const { theWatch } = require('../../dist/watching.js').parts();

const noop = () => {};

// More than Node has listeners of without a warning.
const MANY = 11;

describe('what watches tasks', () => {
  const inFolder = useFolder();

  const begin = {
    reportSlowTasks: (options) => reportSlowTasks(noop, options),
    traceTasks: (options) => traceTasks(inFolder('trace.json'), options),
    collectTaskMetrics: (options) => collectTaskMetrics({ register: new Registry(), ...options }),
    instrumentTasks: (options) => instrumentTasks({
      meterProvider: meters().provider, tracerProvider: null, ...options,
    }),
  };
  // How many watch now.
  const count = () => theWatch().listeners.length + theWatch().statistics.length;

  for (const [name, watch] of Object.entries(begin)) {
    it(`ends by stop(), by its scope and by its signal: ${name}()`, () => {
      const before = count();
      const { signal } = new AbortController();
      const { stop } = watch({ signal });
      assert.ok(count() > before);
      stop();
      stop();
      assert.equal(count(), before);
      watch()[Symbol.dispose]();
      assert.equal(count(), before);
      const controller = new AbortController();
      watch({ signal: controller.signal });
      assert.ok(count() > before);
      controller.abort();
      assert.equal(count(), before);
      watch({ signal: controller.signal }).stop();
      assert.equal(count(), before);
    });
  }

  it('has one listener on the process, however many there are', () => {
    const before = process.listenerCount('exit');
    const watching = Object.values(begin).flatMap((watch) =>
      Array.from({ length: MANY }, () => watch()));
    assert.equal(process.listenerCount('exit'), before + 1);
    for (const { stop } of watching) stop();
    assert.equal(process.listenerCount('exit'), before);
  });

  it('ends with the process, each of many, also inside of a task and if one throws', async () => {
    const work = (root, folder, many) => {
      const { writeSync } = require('node:fs');
      const { scheduler } = require(root);
      const { reportSlowTasks: report, traceTasks: trace } = require(`${root}/dist/watch.js`);
      for (let i = 0; i < many; i++) {
        report(({ label }) => {
          if (label !== 'last') return;
          writeSync(1, `${i}\n`);
          if (i % 5 === 0) throw new Error('from a report');
        });
        trace(`${folder}/${i}.json`);
      }
      scheduler.postTask(() => {
        for (const end = performance.now() + 60; performance.now() < end;);
        process.exit();
      }, { label: 'last' });
    };
    const program = `(root) => (${work})(root, ${JSON.stringify(inFolder())}, ${MANY})`;
    const { code, stdout, stderr } = await runChild(program);
    assert.equal(code, 1);
    assert.match(stderr, /from a report/);
    assert.equal(stdout, Array.from({ length: MANY }, (_, i) => `${i}\n`).join(''));
    for (let i = 0; i < MANY; i++) {
      const events = JSON.parse(fs.readFileSync(inFolder(`${i}.json`), 'utf8'));
      assert.ok(events.some(({ ph, name }) => ph === 'X' && name === 'last'), `${i}`);
    }
  });
});

it('what watches has the clock of process.hrtime(), unless something has replaced that', () => {
  const read = () => Number(process.hrtime.bigint());
  assert.equal(isSameClock(process.hrtime, read), true);
  assert.equal(isSameClock(() => [0, 0], read), false);
  assert.equal(isSameClock(() => [Number.MAX_SAFE_INTEGER / 1e9, 0], read), false);
});
