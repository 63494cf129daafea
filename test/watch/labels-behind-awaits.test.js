'use strict';

// The label of a task is that of its continuations, also behind awaits of timers and of I/O.

const assert = require('node:assert/strict');
const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const fs = require('node:fs/promises');
const http = require('node:http');
const { text } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const {
  SharedTask, TaskController, createScheduler, monitorTasks, pieces, reportSlowTasks, scheduler,
} = require('../..');
const { createAdmission } = require('../../integrations/http');
const { closeAll, listen, until } = require('../helpers/admission.js');
const { busy } = require('../helpers/tasks.js');

const { signal } = new TaskController();
const own = createScheduler();

const AWAITS = {
  'a timer': () => sleep(1),
  'I/O': () => fs.stat(__filename),
};

const GOES_ON = {
  'yield()': () => scheduler.yield(),
  'yield() with a signal': () => scheduler.yield({ signal }),
  'wait()': () => scheduler.wait(1),
  'pieces()': async () => {
    for await (const piece of pieces([60, 1])) busy(piece);
    await scheduler.yield();
  },
};

// Other tasks, each with its label: each calls a function in its task, and waits for its end.
const TASKS = {
  'the run of a shared task': ['load', (run) => new SharedTask(run, { label: 'load' }).join()],
  'an admitted request': ['request', async (run) => {
    const { handler } = createAdmission();
    const port = await listen(http.createServer(handler(async (request, response) => {
      await run();
      response.end();
    })));
    const request = http.get({ host: '127.0.0.1', port, agent: false });
    await new Promise((resolve, reject) => {
      request.on('error', reject).on('response', (response) => resolve(text(response)));
    });
  }],
};

describe('the label of a task', () => {
  afterEach(closeAll);

  for (const [kind, [expected, start]] of Object.entries(TASKS)) {
    for (const [what, comes] of Object.entries(AWAITS)) {
      it(`is that of a continuation of ${kind} behind an await of ${what}`, async () => {
        const started = [];
        const note = ({ isContinuation, label }) => void (isContinuation && started.push(label));
        const reports = [];
        const monitor = monitorTasks();
        monitor.enable();
        const reporting = reportSlowTasks((report) => reports.push(report), { duration: 50 });
        subscribe('tracing:uv-scheduler:task:start', note);
        await start(async () => {
          await comes();
          await scheduler.yield();
          busy(60);
        });
        await until(() => reports.some(({ kind }) => kind === 'continuation'));
        const labels = reports.map(({ kind, label }) => kind === 'continuation' && label);
        assert.ok(labels.includes(expected), JSON.stringify(reports));
        assert.ok(started.includes(expected), JSON.stringify(started));
        const [{ label, time }] = monitor.labels;
        assert.equal(label, expected);
        assert.ok(time >= 60, `${time} ms`);
        unsubscribe('tracing:uv-scheduler:task:start', note);
        reporting.stop();
        monitor.disable();
      });

      it(`is seen by a monitor alone in ${kind} behind an await of ${what}`, async () => {
        const monitor = monitorTasks();
        monitor.enable();
        const run = () => start(async () => {
          await comes();
          await scheduler.yield();
          busy(20);
        });
        await run();
        monitor.reset();
        await run();
        await scheduler.wait(1);
        const [{ label, time }] = monitor.labels;
        assert.equal(label, expected);
        assert.ok(time >= 20, `${time} ms`);
        monitor.disable();
      });
    }
  }

  for (const [what, comes] of Object.entries(AWAITS)) {
    for (const [how, goOn] of Object.entries(GOES_ON)) {
      it(`is that of its continuation by ${how} behind an await of ${what}`, async () => {
        const reports = [];
        const monitor = monitorTasks();
        monitor.enable();
        const reporting = reportSlowTasks((report) => reports.push(report), { duration: 50 });
        async function answerChat() {
          await comes();
          await goOn();
          busy(60);
        }
        await scheduler.postTask(answerChat, { signal });
        await until(() => reports.some(({ kind }) => kind === 'continuation'));
        const labels = reports.map(({ kind, label }) => kind === 'continuation' && label);
        assert.ok(labels.includes('answerChat'), JSON.stringify(reports));
        const [{ label }] = monitor.labels;
        assert.equal(label, 'answerChat');
        reporting.stop();
        monitor.disable();
      });
    }
  }

  it('is seen by a monitor alone, and with a scheduler of its own', async () => {
    const monitor = monitorTasks();
    monitor.enable();
    const task = () => own.postTask(async () => {
      await sleep(1);
      await own.yield();
      busy(20);
    }, { label: 'answer', signal });
    // A task that started before the first continuation behind an await has no label there.
    await task();
    monitor.reset();
    await task();
    // The continuation counts once its callback has ended.
    await scheduler.wait(1);
    const [{ label, time }] = monitor.labels;
    assert.equal(label, 'answer');
    assert.ok(time >= 20, `${time} ms`);
    monitor.disable();
  });
});
