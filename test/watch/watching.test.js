'use strict';

// The objects that traceTasks(), reportSlowTasks() and the exporters return, which stop them.

const assert = require('node:assert/strict');
const { Registry } = require('prom-client');
const { reportSlowTasks, traceTasks } = require('../..');
const { instrumentTasks } = require('../../integrations/opentelemetry');
const { collectTaskMetrics } = require('../../integrations/prometheus');
const { useFolder } = require('../helpers/folders.js');
const { theWatch } = require('../../lib/watch/index.js');

const noop = () => {};

describe('what watches tasks', () => {
  const inFolder = useFolder();

  const begin = {
    reportSlowTasks: (options) => reportSlowTasks(noop, options),
    traceTasks: (options) => traceTasks(inFolder('trace.json'), options),
    collectTaskMetrics: (options) => collectTaskMetrics({ register: new Registry(), ...options }),
    instrumentTasks: (options) => instrumentTasks(options),
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

    it(`refuses an option that does not exist: ${name}()`, () => {
      const code = 'ERR_INVALID_ARG_VALUE';
      const message = /unknown option 'signl' \(did you mean 'signal'\?\)/;
      assert.throws(() => watch({ signl: 1 }), { name: 'TypeError', code, message });
    });
  }
});
