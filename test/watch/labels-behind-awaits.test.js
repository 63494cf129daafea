'use strict';

// The label of a task is that of its continuations, also behind awaits of timers and of I/O.

const assert = require('node:assert/strict');
const fs = require('node:fs/promises');
const http = require('node:http');
const { text } = require('node:stream/consumers');
const { setTimeout: sleep } = require('node:timers/promises');
const {
  SharedTask, TaskController, createScheduler, pieces, scheduler, shouldYield,
} = require('../..');
const { createAdmission } = require('../../integrations/http');
const { closeAll, listen } = require('../helpers/admission.js');
const { enabledMonitor, firstReport, record, separateTests } = require('../helpers/watch.js');

const { signal } = new TaskController();
const own = createScheduler();

const AWAITS = { 'a timer': () => sleep(1), 'I/O': () => fs.stat(__filename) };

const GOES_ON = {
  'yield()': () => scheduler.yield(),
  'yield() with a signal': () => scheduler.yield({ signal }),
  'wait()': () => scheduler.wait(1),
  'pieces()': async () => {
    for await (const piece of pieces([1, 2])) {
      while (piece === 1 && !shouldYield());
    }
  },
};

const YIELDS = { 'yield()': GOES_ON['yield()'] };
const OWN_YIELDS = { 'yield()': () => own.yield() };

// Tasks, each with its label, a function that calls another one in the task and waits for its end,
// and the ways in which that goes on.
const TASKS = {
  'a task': ['answerChat', (run) => scheduler.postTask(function answerChat() {
    return run();
  }, { signal }), GOES_ON],
  'a task of a created scheduler':
    ['answer', (run) => own.postTask(run, { label: 'answer', signal }), OWN_YIELDS],
  'the run of a shared task':
    ['load', (run) => new SharedTask(run, { label: 'load' }).join(), YIELDS],
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
  }, YIELDS],
};

const CASES = Object.entries(TASKS).flatMap(([kind, [label, start, ways]]) => {
  return Object.entries(ways).flatMap(([how, goOn]) => {
    return Object.entries(AWAITS).map(([what, comes]) => {
      const title = `${kind} that goes on by ${how} behind an await of ${what}`;
      const run = () => start(async () => {
        await comes();
        await goOn();
      });
      return { title, label, run };
    });
  });
});

describe('the label of a task', () => {
  separateTests();
  afterEach(closeAll);

  for (const { title, label, run } of CASES) {
    it(`is that of a continuation: ${title}`, async () => {
      const recorder = record();
      const isFound = (each) => each.isContinuation && each.label === label;
      const isReported = (each) => each.kind === 'continuation' && each.label === label;
      const report = firstReport(isReported, { duration: 1e-6 });
      await run();
      await report;
      assert.ok(recorder.messages.some(isFound), JSON.stringify(recorder.messages));
    });

    it(`is seen by a monitor alone: ${title}`, async () => {
      const monitor = enabledMonitor();
      // The continuation counts once its callback has ended.
      const runToEnd = () => run().then(() => scheduler.wait(1));
      // A task that started before the first continuation behind an await has no label there.
      await runToEnd();
      const count = () => monitor.labels.find((each) => each.label === label)?.count ?? 0;
      const before = count();
      await runToEnd();
      // The task itself, and what goes on.
      assert.ok(count() >= before + 2, JSON.stringify(monitor.labels));
    });
  }
});
