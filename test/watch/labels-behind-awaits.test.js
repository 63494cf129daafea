'use strict';

// The label of a task is that of its continuations, also behind awaits of timers and of I/O.

const assert = require('node:assert/strict');
const fs = require('node:fs/promises');
const { setTimeout: sleep } = require('node:timers/promises');
const {
  TaskController, createScheduler, monitorTasks, pieces, reportSlowTasks, scheduler,
} = require('../..');
const { until } = require('../helpers/admission.js');
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

describe('the label of a task', () => {
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
