'use strict';

// Programs on the portable host, with the runtime that runs the tests: many tasks, uncaught
// errors, I/O, watching, and the integrations.

const assert = require('node:assert/strict');
const path = require('node:path');
const { FIXTURES, LIMIT, nodes, run } = require('../helpers/loop.js');
const { isNode, linesOf, runProgram } = require('../helpers/runtime.js');
const { itWhole } = require('../helpers/short.js');

// The lines that a program prints. It is called with the exports of the package, and with busy().
const linesWith = (main) => linesOf(`(root) => {
  return (${main})({ root, ...require(root), ...require(root + '/test/helpers/busy.js') });
}`);

describe('a program on the portable host', () => {
  itWhole('loses none of 10^6 tasks and gives their memory back', async () => {
    const [ran, grown] = await linesOf(async (root) => {
      const { scheduler } = require(root);
      const { collect } = require(`${root}/test/fixtures/collect.js`);
      let ran = 0;
      const post = () => scheduler.postTask(() => ran++);
      const heap = async () => {
        await Promise.all(Array.from({ length: 1_000_000 }, post));
        if (globalThis.gc) await collect();
        return process.memoryUsage().heapUsed;
      };
      const before = await heap();
      const grown = await heap() - before;
      console.log(`${ran}\n${grown / 1_000_000}`);
    }, isNode ? { flags: ['--expose-gc'] } : undefined);
    assert.equal(ran, '2000000');
    // Bytes for each former task. Without a collection on demand the heap holds garbage.
    if (isNode) assert.ok(Number(grown) < 16, grown);
  }).timeout(2 * LIMIT);

  it('lets the loop sleep while tasks are watched and none runs', async () => {
    const [wakes] = await linesOf(async (root) => {
      const timers = require('node:timers');
      const { setTimeout: sleep } = timers;
      let wakes = 0;
      for (const name of ['setImmediate', 'setTimeout']) {
        const original = timers[name];
        timers[name] = (...args) => {
          wakes++;
          return original(...args);
        };
      }
      const { scheduler } = require(root);
      const { monitorTasks, reportSlowTasks } = require(`${root}/dist/watch.js`);
      monitorTasks().enable();
      reportSlowTasks(() => {}, { duration: 50 });
      await scheduler.postTask(() => {}, { priority: 'background' });
      await new Promise((resolve) => sleep(resolve, 500));
      console.log(wakes);
    });
    assert.ok(wakes > 0 && wakes < 200, wakes);
  });

  it('lets background work wait while the callbacks of others take the time', async () => {
    const lines = await linesWith(({ busy, scheduler }) => {
      let others = 0;
      const other = () => {
        busy(1);
        if (++others < 20) setImmediate(other);
      };
      setImmediate(other);
      scheduler.postTask(() => console.log(others), { priority: 'background' });
    });
    assert.deepEqual(lines, ['20']);
  });

  // A connection, its request and its answer come in several turns of the loop that poll.
  it('lets I/O come within a few slices beside work that never pauses', async () => {
    const [done] = await linesWith(async ({ busy, scheduler }) => {
      const { once } = require('node:events');
      const http = require('node:http');
      const server = http.createServer((request, response) => response.end('OK'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      let done = 0;
      scheduler.postTask(async () => {
        for (; done < 600; done++) {
          busy(0.5);
          await scheduler.yield();
        }
      });
      const { port } = server.address();
      http.get({ port, host: '127.0.0.1', agent: false }, (response) => {
        console.log(done);
        response.resume();
        server.close();
      });
    });
    assert.ok(Number(done) < 300, `${done} of 600 pieces came first`);
  });

  it('has reports of slow tasks, with stacks where the host has the profiler of V8', async () => {
    const lines = await linesWith(async ({ busy, root, scheduler }) => {
      const { reportSlowTasks } = require(`${root}/dist/watch.js`);
      const report = ({ label, stack }) => console.log(label, Array.isArray(stack));
      try {
        reportSlowTasks(report, { stacks: true });
      } catch ({ message }) {
        console.log(message);
        reportSlowTasks(report);
      }
      await scheduler.postTask(() => busy(200), { label: 'slow' });
    });
    if (isNode) return assert.ok(lines.includes('slow true'), lines.join());
    const [message, ...reports] = lines;
    assert.match(message, /^Failed to execute 'reportSlowTasks': (Bun|Deno) has no profiler of V8/);
    assert.ok(reports.includes('slow false'), reports.join());
  });

  it('goes on after errors of timers and idle callbacks that a listener handles', async () => {
    const lines = await linesWith(({ requestIdleCallback, scheduler }) => {
      const log = [];
      process.on('uncaughtException', ({ message }) => log.push(message));
      const fail = (name) => { throw new Error(`error: ${name}`); };
      for (const priority of ['user-blocking', 'user-visible', 'background']) {
        scheduler.postTask(() => {
          log.push(priority);
          setTimeout(fail, 0, priority);
        }, { priority });
      }
      requestIdleCallback(() => fail('idle'));
      requestIdleCallback(() => log.push('idle'));
      process.on('exit', () => console.log(log.sort().join()));
    });
    assert.deepEqual(lines, ['background,error: background,error: idle,error: user-blocking,' +
      'error: user-visible,idle,user-blocking,user-visible']);
  });

  it('has a new time slice after the loop has slept', async () => {
    const [code, task] = await linesWith(async ({ busy, scheduler, shouldYield }) => {
      // Resolves to in how many of some turns there is no time, each after a sleep.
      const count = async (ask) => {
        let count = 0;
        for (let i = 0; i < 10; i++) {
          await scheduler.postTask(() => busy(6));
          await new Promise((resolve) => setTimeout(resolve, 20));
          if (await ask()) count++;
        }
        return count;
      };
      console.log(await count(shouldYield));
      const blocking = { priority: 'user-blocking' };
      console.log(await count(() => scheduler.postTask(shouldYield, blocking)));
    });
    assert.ok(code < 5 && task < 5, `${code} ${task}`);
  });

  it('ends with an error that nothing handles', async () => {
    const { code, stdout, stderr } = await runProgram((root) => {
      const { scheduler } = require(root);
      scheduler.postTask(() => { throw new Error('mine'); });
      // Far longer than a machine stands still.
      setTimeout(() => console.log('too late'), 20_000);
    });
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /mine/);
  });

  it('has the times of performance.now() in messages, however long nothing has run', async () => {
    const lines = await linesWith(async ({ busy, scheduler }) => {
      const { channel } = require('node:diagnostics_channel');
      await scheduler.postTask(() => {});
      busy(100);
      channel('tracing:uv-scheduler:task:asyncEnd').subscribe((message) => {
        const { postedAt, startedAt, endedAt } = message;
        // The clocks differ by less.
        const times = [before - 1, postedAt, startedAt, endedAt, performance.now() + 1];
        console.log(times.every((time, i) => i === 0 || time >= times[i - 1]) || times.join());
      });
      const before = performance.now();
      await scheduler.postTask(() => busy(5));
    });
    assert.deepEqual(lines, ['true']);
  });

  it('admits, aborts and shuts down with uv-scheduler/http', async () => {
    const program = path.join(FIXTURES, 'admitting-server.js');
    const { code, stdout, stderr } = await run(nodes[0], [program]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.deepEqual(JSON.parse(stdout), {
      signals: Array(4).fill(false), pages: Array(3).fill('onetwo'), own: 'own',
      whileDraining: 'onetwo', left: 'AbortError', slow: 'begun ended', isListening: false,
      settled: Array(6).fill(true), counts: [0, 6, 0],
    });
  });

  it('renders sections with uv-scheduler/react, and exports metrics', async () => {
    const lines = await linesOf(async (root) => {
      const load = require('node:module').createRequire(`${root}/index.js`);
      const { createElement } = load('react');
      const { renderToReadableStream } = load('react-dom/server');
      const { Scheduled } = load('./dist/react.js');
      const { register } = load('prom-client');
      const { collectTaskMetrics } = load('./dist/prometheus.js');
      const { instrumentTasks } = load('./dist/opentelemetry.js');
      const { IdleWorker } = load('./dist/bullmq.js');
      const collecting = collectTaskMetrics({ register });
      const instrumented = instrumentTasks();
      const section = createElement(Scheduled, null, createElement('p', null, 'a section'));
      const stream = await renderToReadableStream(createElement('div', null, section));
      await stream.allReady;
      const html = await new Response(stream).text();
      const metrics = await register.metrics();
      console.log(html.includes('a section'), metrics.includes('uv_scheduler_'),
        metrics.includes('NaN'), typeof IdleWorker);
      collecting.stop();
      instrumented.stop();
    });
    assert.deepEqual(lines, ['true true false function']);
  });
});
