'use strict';

// reportSlowTasks(): which callbacks and waits it reports, in which functions the time went, and
// who held the thread meanwhile.
// @lane waiting

const assert = require('node:assert/strict');
const { AsyncLocalStorage } = require('node:async_hooks');
const fs = require('node:fs');
const { Session } = require('node:inspector');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const v8 = require('node:v8');
const vm = require('node:vm');
const { TaskController, reportSlowTasks, requestIdleCallback, scheduler } = require('../..');
const { FIXTURES, LIMIT, mapSome, nodes, run } = require('../helpers/loop.js');
const { busy: spin } = require('../helpers/tasks.js');
const { collectReports, firstReport, separateTests, until } = require('../helpers/watch.js');

const PROGRAM = path.join(FIXTURES, 'slow-tasks.js');
const SLOW = 4 * LIMIT;

// Defines a test of what a program of the fixture reports on each Node: what it prints.
const testReports = (title, name, check) => it(title, () => mapSome(nodes, async (node) => {
  const { code, stdout, stderr } = await run(node, [PROGRAM, name]);
  try {
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    check(stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line)));
  } catch (error) {
    throw new Error(`Node ${node.version}: ${error.message}`, { cause: error });
  }
})).timeout(SLOW);

const namesIn = (frames) => frames.map(({ functionName }) => functionName);

// The report with this label that has a function on its stack.
function reportOn(reports, functionName, label) {
  const found = reports.filter((each) => {
    return each.label === label && namesIn(each.stack).includes(functionName);
  });
  assert.equal(found.length, 1, JSON.stringify(reports));
  return found[0];
}

// Most of the time went in a function on the stack and what it calls. Returns its frame.
function assertWentIn(report, functionName, callers = []) {
  const frame = report.stack.find((each) => each.functionName === functionName);
  assert.ok(frame?.total > 0.5 * report.duration, JSON.stringify(report));
  const [{ self }] = report.functions;
  assert.ok(self > 0.3 * report.duration, JSON.stringify(report));
  const stack = namesIn(report.stack);
  const expected = [functionName, ...callers];
  assert.deepEqual(stack.filter((each) => expected.includes(each)), expected);
  return frame;
}

describe('a report of a slow callback', () => {
  separateTests();

  it('names each place once at which a continuation loses the priority of its task', async () => {
    const reports = collectReports({ duration: Infinity });
    const options = { priority: 'background' };
    const lose = () => scheduler.postTask(() => scheduler.yield({ signal }), options);
    const { signal } = new AbortController();
    const followed = new TaskController(options);
    const kept = [
      undefined, { signal: 'inherit' }, { signal, priority: 'inherit' },
      { signal, priority: 'user-visible' }, { signal: followed.signal }, { priority: 'background' },
    ];
    for (const each of kept) await scheduler.postTask(() => scheduler.yield(each), options);
    await scheduler.postTask(() => scheduler.yield({ signal }));
    for (let i = 0; i < 3; i++) await lose();
    await scheduler.postTask(() => scheduler.wait(1, { signal }), { priority: 'user-blocking' });
    await until(() => reports.length === 2);
    const lost = (inherited) => ({
      type: 'priority', place: __filename, inherited, priority: 'user-visible',
    });
    const found = reports.map(({ place, ...each }) => ({
      ...each, place: place.replace(/:\d+:\d+$/, ''),
    }));
    assert.deepEqual(found, [lost('background'), lost('user-blocking')]);
  });

  it('tells of tasks and continuations that took longer than the duration', async () => {
    const requests = new AsyncLocalStorage();
    const reports = [];
    const reporting = reportSlowTasks((report) => {
      if (report.label === 'slow') reports.push([report, requests.getStore()]);
    }, { duration: 50 });
    const before = performance.now();
    const quick = scheduler.postTask(() => {}, { label: 'quick' });
    await requests.run('a request', () => scheduler.postTask(async () => {
      spin(60);
      await scheduler.yield();
      spin(70);
    }, { label: 'slow', priority: 'user-blocking' }));
    await quick;
    await until(() => reports.length >= 2);
    reporting.stop();
    // They come in the async context of the task.
    assert.deepEqual(reports.map(([, store]) => store), ['a request', 'a request']);
    const [task, continuation] = reports.map(([report]) => report);
    assert.deepEqual(Object.keys(task),
      ['type', 'kind', 'label', 'priority', 'id', 'parentId', 'startedAt', 'duration']);
    assert.deepEqual(
      [task.type, task.kind, task.priority, task.parentId],
      ['duration', 'task', 'user-blocking', undefined]);
    assert.ok(task.duration >= 60 && task.startedAt > before, JSON.stringify(task));
    assert.deepEqual(
      [continuation.kind, continuation.priority, continuation.parentId],
      ['continuation', 'user-blocking', task.id]);
    assert.ok(continuation.duration >= 70);
    assert.ok(continuation.startedAt >= task.startedAt + task.duration - 1);
  }).timeout(LIMIT);

  it('comes in the async context of the code outside of tasks that has yielded', async () => {
    const requests = new AsyncLocalStorage();
    const stores = [];
    const reporting = reportSlowTasks(({ kind }) => stores.push([kind, requests.getStore()]));
    await requests.run('a request', async () => {
      await scheduler.yield();
      spin(60);
    });
    await until(() => stores.length > 0);
    reporting.stop();
    assert.deepEqual(stores[0], ['continuation', 'a request']);
  }).timeout(LIMIT);

  it('tells of idle callbacks', async () => {
    const report = firstReport(({ kind }) => kind === 'idle-callback', { duration: 50 });
    requestIdleCallback(() => spin(60));
    await report;
  }).timeout(LIMIT);

  it('does not take the wait for events for a callback', async () => {
    const reports = collectReports({ duration: 400 });
    const idleTime = () => performance.nodeTiming.idleTime;
    let before;
    let from;
    // If the machine holds the program up meanwhile, the wait is repeated.
    do {
      before = idleTime();
      from = performance.now();
      await sleep(1000);
    } while (idleTime() - before < 900);
    const last = reports.filter(({ startedAt }) => startedAt >= from);
    for (const { duration } of last) assert.ok(duration < 900, JSON.stringify(last));
  }).timeout(LIMIT);

  it('does not tell of what the reports themselves take', async () => {
    let count = 0;
    const reporting = reportSlowTasks(() => {
      count++;
      spin(300);
    }, { duration: 200 });
    await scheduler.postTask(() => spin(300));
    await until(() => count > 0);
    const before = count;
    for (let i = 0; i < 10; i++) await sleep(1);
    reporting.stop();
    // Another one if the machine has stood still.
    assert.ok(count <= before + 1, `${count} reports`);
  }).timeout(LIMIT);

  testReports('comes although the one before has thrown', 'throws', (found) => {
    const messages = found.map(({ message }) => message);
    assert.deepEqual(messages.filter((each) => each !== ''), ['a', 'b']);
  });

  testReports('comes while the program waits for nothing else', 'soon', ([{ count }]) => {
    assert.ok(count >= 2);
  });

  testReports('comes no more, also at the exit, when the one before has aborted the signal',
    'abortsAtExit', (found) => assert.deepEqual(found.map(({ label }) => label), ['a']));
});

describe('the stacks of a slow callback', () => {
  separateTests();

  for (const program of ['stacks', 'worker']) {
    testReports(`name the function in which the time went, ${program}`, program, (reports) => {
      const page = reportOn(reports, 'nested', 'a page');
      const { scriptName, lineNumber } = assertWentIn(page, 'hotFunction', ['nested']);
      // The caller of the task is not on the stack.
      assert.equal(page.stack.at(-1).functionName, 'nested');
      assert.equal(page.request, '/page');
      const line = fs.readFileSync(PROGRAM, 'utf8').split('\n')[lineNumber - 1];
      assert.match(line, /^function hotFunction/);
      assert.match(scriptName, /slow-tasks\.js$/);
      const list = reportOn(reports, 'hotFunction', 'a list');
      assertWentIn(list, 'hotFunction');
      assert.deepEqual([list.kind, list.request], ['continuation', '/list']);
      for (const name of ['inTimer', 'inFile']) {
        const report = reportOn(reports, name, '');
        assertWentIn(report, name);
        assert.equal(report.kind, 'other');
      }
    });
  }

  testReports('are known also where two report, and when one has stopped', 'oneStops',
    (reports) => {
      assert.equal(reports.length, 3);
      for (const report of reports) assertWentIn(report, 'hotFunction');
    });

  it('tell functions of one name apart', async () => {
    const report = firstReport(({ kind }) => kind === 'task', { stacks: true });
    const ofOneName = [
      function spin(end) {
        while (performance.now() < end);
      },
      function spin(end) {
        while (performance.now() < end);
      },
    ];
    scheduler.postTask(() => {
      for (const work of ofOneName) work(performance.now() + 200);
    });
    const { functions } = await report;
    const named = functions.filter(({ functionName }) => functionName === 'spin');
    assert.equal(named.length, 2, JSON.stringify(functions));
  }).timeout(LIMIT);
});

describe('the stacks of callbacks that are no tasks', () => {
  separateTests();

  // Short functions, each of which is a place of its own.
  const shorts = Array.from({ length: 30 }, (_, i) => {
    const filename = `short-${i}.js`;
    return vm.runInThisContext('((spin) => () => spin(3))', { filename })(spin);
  });

  it('are read less often where many short ones fill the turns', async () => {
    let reads = 0;
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.on('Profiler.consoleProfileFinished', () => reads++);
    const reports = collectReports({ duration: 50, stacks: true });
    let isOver = false;
    const turn = () => {
      for (const short of shorts) setImmediate(short);
      if (!isOver) setImmediate(turn);
    };
    turn();
    try {
      await sleep(4000);
      // At once, and after one and three seconds. If the machine stands still in a short one, it is
      // reported, and the next read comes soon.
      assert.ok(reads > 0 && reads <= 3 * (1 + reports.length), `${reads} reads`);
    } finally {
      isOver = true;
    }
    setTimeout(function planted() {
      spin(120);
    }, 1);
    await until(() => reports.some(({ stack }) => namesIn(stack).includes('planted')));
    session.disconnect();
  }).timeout(LIMIT);
});

describe('a report of a task that waited', () => {
  separateTests();

  // Resolves to the first report on a wait of a label.
  const waitOf = (label) =>
    firstReport((report) => report.label === label, { duration: Infinity, wait: 100 });

  it('tells who held the thread meanwhile, and for how long', async () => {
    const wait = waitOf('late');
    const times = {};
    const hold = (label, ms) => scheduler.postTask(() => {
      const begun = performance.now();
      spin(ms);
      times[label] = performance.now() - begun;
    }, { label, priority: 'user-blocking' });
    hold('first', 60);
    const before = performance.now();
    const late = scheduler.postTask(() => performance.now(), { label: 'late' });
    const behind = performance.now();
    hold('second', 120);
    const [started, report] = [await late, await wait];
    const [least, waited] = [started - behind, started - before];
    assert.deepEqual(
      [report.type, report.kind, report.priority, report.parentId],
      ['wait', 'task', 'user-visible', undefined]);
    const close = 0.05 * waited;
    assert.ok(report.wait > least - close && report.wait < waited + close,
      `${report.wait}, ${least} to ${waited}`);
    assert.ok(!Object.hasOwn(report, 'awaitedBy'));
    const { waitedFor } = report;
    const sum = waitedFor.reduce((all, { share }) => all + share, 0);
    assert.ok(Math.abs(sum - 1) < 0.01, JSON.stringify(waitedFor));
    // Without the garbage collections in them.
    const garbage = waitedFor.find(({ kind }) => kind === 'garbage-collection')?.time ?? 0;
    for (const [label, taken] of Object.entries(times)) {
      const { kind, priority, time, share } = waitedFor.find((each) => each.label === label);
      assert.deepEqual([kind, priority], ['task', 'user-blocking']);
      // All of them together are the wait, so none of them is too long.
      assert.ok(time > 0.95 * (taken - garbage), `${time}, ${taken}`);
      assert.ok(Math.abs(share - time / report.wait) < 1e-6);
    }
  }).timeout(LIMIT);

  it('tells of other callbacks and of garbage collections', async () => {
    // How much must be allocated until V8 collects garbage by itself depends on its version.
    v8.setFlagsFromString('--expose-gc');
    const collectGarbage = vm.runInNewContext('gc');
    const wait = waitOf('late');
    setTimeout(() => {
      scheduler.postTask(() => {}, { label: 'late' });
      spin(150);
      collectGarbage();
    });
    const { waitedFor } = await wait;
    const kinds = waitedFor.map(({ kind }) => kind);
    assert.ok(kinds.includes('other') && kinds.includes('garbage-collection'), kinds.join());
  }).timeout(LIMIT);

  it('has each label once, and not all of very many', async () => {
    const wait = waitOf('late');
    scheduler.postTask(() => {}, { label: 'late', priority: 'background' });
    for (let i = 0; i < 800; i++) {
      scheduler.postTask(() => spin(0.1), { label: `${i}` });
      if (i % 10 === 0) scheduler.postTask(() => spin(0.5), { label: 'often' });
    }
    const { waitedFor } = await wait;
    assert.equal(waitedFor.filter(({ label }) => label === 'often').length, 1);
    assert.ok(new Set(waitedFor.map(({ label }) => label)).size > 50);
    assert.ok(waitedFor.length <= 101, `${waitedFor.length}`);
    const sum = waitedFor.reduce((all, { share }) => all + share, 0);
    assert.ok(Math.abs(sum - 1) < 0.01, `${sum}`);
  }).timeout(LIMIT);

  it('does not count the delay that it was posted with', async () => {
    const report = waitOf('late');
    scheduler.postTask(() => spin(150), { label: 'hold', delay: 300, priority: 'user-blocking' });
    scheduler.postTask(() => {}, { label: 'late', delay: 300 });
    const { wait, waitedFor, queuedAt, startedAt } = await report;
    assert.ok(Math.abs(startedAt - queuedAt - wait) < 1);
    const { share } = waitedFor.find(({ label }) => label === 'hold');
    // Most of it, unless the machine has stood still.
    assert.ok(share > 0.5, JSON.stringify(waitedFor));
  }).timeout(LIMIT);
});

