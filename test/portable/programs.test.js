'use strict';

// Programs on the portable host, with the runtime that runs the tests: many tasks, uncaught
// errors, workers, watching, and the integrations.

const assert = require('node:assert/strict');
const path = require('node:path');
const { FIXTURES, LIMIT, nodes, run } = require('../helpers/loop.js');
const { isNode, linesOf, runProgram } = require('../helpers/runtime.js');
const { itWhole } = require('../helpers/short.js');

describe('a program on the portable host', () => {
  itWhole('loses none of 10^6 tasks and gives their memory back', async () => {
    const [ran, grown] = await linesOf(async (root) => {
      const { scheduler } = require(root);
      let ran = 0;
      const flood = () => Promise.all(Array.from({ length: 1_000_000 }, () => {
        return scheduler.postTask(() => ran++);
      }));
      const heap = async () => {
        for (let i = 0; i < 4; i++) {
          (globalThis.gc ?? globalThis.Bun?.gc)?.(true);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return process.memoryUsage().heapUsed;
      };
      await flood();
      const before = await heap();
      await flood();
      console.log(ran);
      console.log(Math.round((await heap() - before) / 1_000_000));
    }, isNode ? { flags: ['--expose-gc'] } : undefined);
    assert.equal(ran, '2000000');
    // Bytes for each former task. Without a collection on demand the heap holds garbage.
    if (isNode) assert.ok(Number(grown) < 16, grown);
  }).timeout(2 * LIMIT);

  // A part of a processor, as the machine may be slow.
  it('leaves the processor alone while tasks are watched and none runs', async () => {
    const [share] = await linesOf(async (root) => {
      const { monitorTasks, reportSlowTasks, scheduler } = require(root);
      monitorTasks().enable();
      reportSlowTasks(() => {}, { duration: 50 });
      await scheduler.postTask(() => {}, { priority: 'background' });
      const start = performance.now();
      const before = process.cpuUsage();
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const { user, system } = process.cpuUsage(before);
      console.log((user + system) / 1000 / (performance.now() - start));
    });
    assert.ok(Number(share) < 0.25, share);
  });

  it('has reports of slow tasks, with stacks where the host has the profiler of V8', async () => {
    const lines = await linesOf(async (root) => {
      const { reportSlowTasks, scheduler } = require(root);
      const report = ({ label, stack }) => console.log(label, Array.isArray(stack));
      try {
        reportSlowTasks(report, { stacks: true });
      } catch ({ message }) {
        console.log(message);
        reportSlowTasks(report);
      }
      await scheduler.postTask(() => {
        for (const end = performance.now() + 200; performance.now() < end;);
      }, { label: 'slow' });
    });
    if (isNode) return assert.ok(lines.includes('slow true'), lines.join());
    const [message, ...reports] = lines;
    assert.match(message, /^Failed to execute 'reportSlowTasks': (Bun|Deno) has no profiler of V8/);
    assert.ok(reports.includes('slow false'), reports.join());
  });

  it('goes on after errors of timers and idle callbacks that a listener handles', async () => {
    const lines = await linesOf((root) => {
      const { requestIdleCallback, scheduler } = require(root);
      const log = [];
      process.on('uncaughtException', ({ message }) => log.push(message));
      const post = (name, priority) => scheduler.postTask(() => {
        log.push(name);
        setTimeout(() => {
          throw new Error(`in a timer of ${name}`);
        }, 0);
      }, { priority });
      for (const priority of ['user-blocking', 'user-visible', 'background']) {
        post(priority, priority);
      }
      requestIdleCallback(() => {
        throw new Error('in an idle callback');
      });
      requestIdleCallback(() => log.push('idle'));
      process.on('exit', () => console.log(log.sort().join()));
    });
    assert.deepEqual(lines, ['background,idle,in a timer of background,' +
      'in a timer of user-blocking,in a timer of user-visible,in an idle callback,' +
      'user-blocking,user-visible']);
  });

  it('has a new time slice after the loop has slept', async () => {
    const [counts] = await linesOf(async (root) => {
      const { scheduler, shouldYield } = require(root);
      const sleep = () => new Promise((resolve) => setTimeout(resolve, 20));
      const useSlice = () => scheduler.postTask(() => {
        const end = performance.now() + 6;
        while (performance.now() < end);
      });
      const counts = { code: 0, task: 0 };
      for (let i = 0; i < 10; i++) {
        await useSlice();
        await sleep();
        if (shouldYield()) counts.code++;
        await useSlice();
        await sleep();
        await scheduler.postTask(() => {
          if (shouldYield()) counts.task++;
        }, { priority: 'user-blocking' });
      }
      console.log(JSON.stringify(counts));
    });
    const { code, task } = JSON.parse(counts);
    assert.ok(code < 5 && task < 5, counts);
  });

  it('starts what has `ref: false` while the loop would sleep', async () => {
    const lines = await linesOf(async (root) => {
      const { once } = require('node:events');
      const { createServer } = require('node:net');
      const { scheduler } = require(root);
      const server = createServer().listen(0);
      await once(server, 'listening');
      await new Promise((resolve) => setTimeout(resolve, 20));
      const started = performance.now();
      const options = { priority: 'background', ref: false };
      const tasks = [{}, { delay: 50 }].map((more) => {
        return scheduler.postTask(() => performance.now(), { ...options, ...more });
      });
      const [first, delayed] = await Promise.all(tasks);
      // Far longer than such a task waits, and shorter than a loop sleeps.
      console.log(delayed - started >= 50, delayed - started < 5000, first < delayed);
      server.close();
    });
    assert.deepEqual(lines, ['true true true']);
  });

  it('ends with an error that nothing handles', async () => {
    const { code, stdout, stderr } = await runProgram((root) => {
      const { scheduler } = require(root);
      scheduler.postTask(() => {
        throw new Error('mine');
      });
      setTimeout(() => console.log('too late'), 1000);
    });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /mine/);
  });

  it('has the times of performance.now() in messages, however long nothing has run', async () => {
    const lines = await linesOf(async (root) => {
      const { channel } = require('node:diagnostics_channel');
      const { scheduler } = require(root);
      const busy = (end) => {
        while (performance.now() < end);
      };
      await scheduler.postTask(() => {});
      busy(performance.now() + 100);
      channel('tracing:uv-scheduler:task:asyncEnd').subscribe((message) => {
        const { postedAt, startedAt, endedAt } = message;
        // The clocks differ by less.
        const times = [before - 1, postedAt, startedAt, endedAt, performance.now() + 1];
        console.log(times.every((time, i) => i === 0 || time >= times[i - 1]) || times.join());
      });
      const before = performance.now();
      await scheduler.postTask(() => busy(performance.now() + 5));
    });
    assert.deepEqual(lines, ['true']);
  });

  it('admits, aborts and shuts down with uv-scheduler/http', async () => {
    const program = path.join(FIXTURES, 'runtime-server.js');
    const { code, stdout, stderr } = await run(nodes[0], [program]);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const { aborted, drained, ...seen } = JSON.parse(stdout);
    const { answered, refused, ...others } = seen;
    // On a busy machine the admission refuses some.
    assert.equal(answered + refused, 60, stdout);
    assert.deepEqual(others, { failed: 0, left: 20, own: 1, listens: false });
    assert.ok(aborted > 0 && drained.includes('aborted'), stdout);
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
      const text = 'a section';
      const section = createElement(Scheduled, null, createElement('p', null, text));
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
