'use strict';

// reportSlowTasks(): which callbacks and waits it reports, in which functions the time went, and
// who held the thread meanwhile. The functions are those that V8's profiler finds, in real time, as
// are garbage collections.
// @lane waiting

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const fs = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const v8 = require('node:v8');
const vm = require('node:vm');
const { TaskController, requestIdleCallback, scheduler } = require('../..');
const { reportSlowTasks } = require('uv-scheduler/watch');
const { FIXTURES, LIMIT, mapSome, nodes, run } = require('../helpers/loop.js');
const { collectReports, firstReport, separateTests, until, useClock } =
  require('../helpers/watch.js');

const PROGRAM = path.join(FIXTURES, 'slow-tasks.js');
const SLOW = 4 * LIMIT;

// On a busy machine a callback can end before a stack is read, as stacks are limited.
const TRIES = 4;

// Defines a test of what a program of the fixture reports on each Node: what it prints.
const testReports = (title, name, check) => it(title, () => mapSome(nodes, async (node) => {
  for (let tries = TRIES; ; tries--) {
    const { code, stdout, stderr } = await run(node, [PROGRAM, name]);
    try {
      assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
      return check(stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)));
    } catch (error) {
      if (tries > 1) continue;
      throw new Error(`Node ${node.version}: ${error.message}`, { cause: error });
    }
  }
})).timeout(SLOW);

const namesIn = (frames) => frames.map(({ functionName }) => functionName);

// How much must be allocated until V8 collects garbage by itself depends on its version.
v8.setFlagsFromString('--expose-gc');
const collectGarbage = vm.runInNewContext('gc');

describe('a report of a slow callback', () => {
  const clock = useClock();

  it('tells of tasks, continuations and idle callbacks that took longer', async () => {
    const requests = new AsyncLocalStorage();
    const stores = [];
    const reports = [];
    const { stop } = reportSlowTasks((report) => {
      reports.push(report);
      stores.push(requests.getStore());
    }, { duration: 50 });
    clock.post(50, { label: 'quick' });
    requests.run('a request', () => scheduler.postTask(async () => {
      clock.spend(60);
      await scheduler.yield();
      clock.spend(70);
    }, { label: 'slow', priority: 'user-blocking' }));
    requestIdleCallback(() => clock.spend(80));
    await clock.run();
    // The wait for events is no callback.
    await clock.advance(1000);
    stop();
    // They come in the async context of the task.
    assert.deepEqual(stores, ['a request', 'a request', undefined]);
    assert.deepEqual(Object.keys(reports[0]),
      ['type', 'kind', 'label', 'priority', 'id', 'parentId', 'startedAt', 'duration']);
    const [task, continuation] = reports;
    const found = reports.map(({ kind, label, priority, duration }) =>
      [kind, label, priority, duration]);
    assert.deepEqual(found, [
      ['task', 'slow', 'user-blocking', 60], ['continuation', 'slow', 'user-blocking', 70],
      ['idle-callback', '', 'background', 80],
    ]);
    assert.deepEqual([task.parentId, continuation.parentId], [undefined, task.id]);
    assert.equal(Math.round(1e3 * (continuation.startedAt - task.startedAt)), 60e3);
  });

  it('comes in the async context of the code outside of tasks that has yielded', async () => {
    const requests = new AsyncLocalStorage();
    const stores = [];
    const { stop } = reportSlowTasks(({ kind }) => stores.push([kind, requests.getStore()]));
    requests.run('a request', async () => {
      await scheduler.yield();
      clock.spend(60);
    });
    await clock.run();
    stop();
    assert.deepEqual(stores, [['continuation', 'a request']]);
  });

  it('does not tell of what the reports themselves take', async () => {
    let count = 0;
    const { stop } = reportSlowTasks(() => {
      count++;
      clock.spend(300);
    }, { duration: 200 });
    clock.post(300);
    for (let i = 0; i < 10; i++) await clock.advance(10);
    stop();
    assert.equal(count, 1);
  });

  it('reads stacks less often while it finds no slow callback in busy turns', async () => {
    let reads = 0;
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.on('Profiler.consoleProfileFinished', () => reads++);
    collectReports({ duration: 50, stacks: true });
    // Samples of real time lie far before what follows.
    await clock.advance(60_000);
    const found = [];
    for (let second = 1; second < 40; second++) {
      clock.spend(1000);
      const before = reads;
      await clock.run();
      if (reads > before) found.push(second);
    }
    session.disconnect();
    assert.deepEqual(found, [1, 2, 4, 8, 16, 26, 36]);
  });
});

describe('a report in real time', () => {
  separateTests();

  it('names each place once at which a continuation loses the priority of its task', async () => {
    const reports = collectReports({ duration: Infinity });
    // Not in the background: the loop of a process with other tests may never idle.
    const options = { priority: 'user-blocking' };
    const lose = () => scheduler.postTask(() => scheduler.yield({ signal }), options);
    const { signal } = new AbortController();
    const followed = new TaskController(options);
    const kept = [
      undefined, { signal: 'inherit' }, { signal, priority: 'inherit' },
      { signal, priority: 'user-visible' }, { signal: followed.signal }, options,
    ];
    for (const each of kept) await scheduler.postTask(() => scheduler.yield(each), options);
    await scheduler.postTask(() => scheduler.yield({ signal }));
    for (let i = 0; i < 3; i++) await lose();
    await scheduler.postTask(() => scheduler.wait(1, { signal }), options);
    await until(() => reports.length >= 2);
    const lost = {
      type: 'priority', place: __filename, inherited: 'user-blocking', priority: 'user-visible',
    };
    const found = reports.map(({ place, ...each }) => ({
      ...each, place: place.replace(/:\d+:\d+$/, ''),
    }));
    assert.deepEqual(found, [lost, lost]);
  });

  testReports('comes although the one before has thrown', 'throws', (found) => {
    const messages = found.map(({ message }) => message);
    assert.deepEqual(messages.filter((each) => each !== ''), ['a', 'b']);
  });

  testReports('comes no more, also at the exit, when the one before has aborted the signal',
    'abortsAtExit', (found) => assert.deepEqual(found.map(({ label }) => label), ['a']));
});

describe('the stacks of a slow callback', () => {
  separateTests();

  // Returns the report with this label that has these functions on its stack, the innermost first.
  // If V8 misses stacks, a callback that is no task may be reported in two parts.
  function find(reports, label, names) {
    const found = reports.filter((each) => {
      const stack = namesIn(each.stack).filter((name) => names.includes(name));
      return each.label === label && stack.join() === names.join();
    });
    assert.ok(label === '' ? found.length > 0 : found.length === 1, JSON.stringify(reports));
    const [{ duration, functions: [{ self }] }] = found;
    assert.ok(self > 0 && self <= duration, JSON.stringify(found));
    return found[0];
  }

  for (const program of ['stacks', 'worker']) {
    testReports(`name the function in which the time went, ${program}`, program, (reports) => {
      const page = find(reports, 'a page', ['hotFunction', 'nested']);
      // The caller of the task is not on the stack.
      assert.equal(page.stack.at(-1).functionName, 'nested');
      assert.equal(page.request, '/page');
      const { scriptName, lineNumber } = page.stack.at(-2);
      const line = fs.readFileSync(PROGRAM, 'utf8').split('\n')[lineNumber - 1];
      assert.match(line, /^function hotFunction/);
      assert.match(scriptName, /slow-tasks\.js$/);
      const list = find(reports, 'a list', ['hotFunction']);
      assert.deepEqual([list.kind, list.request], ['continuation', '/list']);
      for (const name of ['inTimer', 'inFile']) {
        assert.equal(find(reports, '', [name]).kind, 'other');
      }
    });
  }

  testReports('are known also where two report, and when one has stopped', 'oneStops',
    (reports) => {
      const found = reports.filter(({ stack }) => namesIn(stack).includes('hotFunction'));
      assert.deepEqual(found.map(({ label }) => label), ['first', 'first', 'second']);
    });

  it('tell functions of one name apart', async () => {
    const lines = new Set();
    const { stop } = reportSlowTasks(({ functions }) => {
      for (const { functionName, lineNumber } of functions) {
        if (functionName === 'count') lines.add(lineNumber);
      }
    }, { stacks: true });
    // Their work does not depend on how much of a processor they get.
    const ofOneName = [
      function count() {
        for (let i = 0; i < 3e8; i++);
      },
      function count() {
        for (let i = 0; i < 3e8; i++);
      },
    ];
    // The thread that reads the stacks takes some time to start. The time of stacks is limited, so
    // on a busy machine there are few.
    while (lines.size < 2) {
      await scheduler.postTask(() => ofOneName.forEach((work) => work()));
      ofOneName.reverse();
      await sleep(1);
    }
    stop();
  }).timeout(4 * LIMIT);
});

describe('a report of a task that waited', () => {
  const clock = useClock();

  const culprit = (kind, label, priority, time, wait) => {
    return { kind, label, priority, time, share: time / wait };
  };

  it('tells who held the thread meanwhile, and for how long', async () => {
    const reports = collectReports({ duration: Infinity, wait: 100 });
    clock.post(60, { label: 'first', priority: 'user-blocking' });
    clock.post(0, { label: 'late' });
    clock.post(120, { label: 'second', priority: 'user-blocking' });
    // Between the tasks. Garbage collections take no time on this clock.
    clock.spend(20);
    collectGarbage();
    await clock.run();
    const [{ id, queuedAt, startedAt }] = reports;
    assert.equal(Math.round(1e3 * (startedAt - queuedAt)), 200e3);
    assert.deepEqual(reports, [{
      type: 'wait', kind: 'task', label: 'late', priority: 'user-visible', id,
      parentId: undefined, queuedAt, startedAt, wait: 200, waitedFor: [
        culprit('task', 'second', 'user-blocking', 120, 200),
        culprit('task', 'first', 'user-blocking', 60, 200),
        culprit('other', '', undefined, 20, 200),
      ],
    }]);
  });

  it('does not count the delay that it was posted with', async () => {
    const reports = collectReports({ duration: Infinity, wait: 100 });
    clock.post(150, { label: 'hold', delay: 300, priority: 'user-blocking' });
    clock.post(0, { label: 'late', delay: 300 });
    await clock.run();
    assert.deepEqual(reports.map(({ label, wait, waitedFor }) => [label, wait, waitedFor]),
      [['late', 150, [culprit('task', 'hold', 'user-blocking', 150, 150)]]]);
  });
});

describe('a report of a task that waited in real time', () => {
  separateTests();

  it('tells of other callbacks and of garbage collections', async () => {
    const isLate = ({ label }) => label === 'late';
    const report = firstReport(isLate, { duration: Infinity, wait: 1e-6 });
    setTimeout(() => {
      scheduler.postTask(() => {}, { label: 'late' });
      collectGarbage();
    });
    const kinds = (await report).waitedFor.map(({ kind }) => kind);
    assert.ok(kinds.includes('other') && kinds.includes('garbage-collection'), kinds.join());
  }).timeout(LIMIT);
});
