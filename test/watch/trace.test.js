'use strict';

// Traces of tasks: what is in their files, when they are complete, and whose they are.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { TaskController, requestIdleCallback, scheduler } = require('../..');
const { traceTasks } = require('uv-scheduler/watch');
const { useFolder, withFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../helpers/loop.js');
const { findLooseArrows, findOverlaps, lanesOf, ofKind } = require('../helpers/trace.js');
const { fakeHold, useClock } = require('../helpers/watch.js');

const PROGRAM = path.join(FIXTURES, 'traced.js');
const LANES = ['event loop', 'user-blocking', 'user-visible', 'background'];
// This lane is there only if background work was held.
const HELD = 'held';
const LABEL = '"a"\n\u00e9';

const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

// Whether this process has a file open. Others may come and go meanwhile.
function isOpen(name) {
  const { dev, ino } = fs.statSync(name);
  // Far more than are ever open.
  for (let descriptor = 0; descriptor < 1000; descriptor++) {
    try {
      const found = fs.fstatSync(descriptor);
      if (found.dev === dev && found.ino === ino) return true;
    } catch {
      // None is open there.
    }
  }
  return false;
}

describe('a trace', () => {
  const clock = useClock();
  const inFolder = useFolder();
  const file = () => inFolder('trace.json');

  // The slices of a lane: their names, and their begins and lengths in ms of the test. Slices end a
  // nanosecond before the next one begins.
  function slicesOf(events, lane) {
    const origin = Math.min(...ofKind(events, 'X').map(({ ts }) => ts));
    const ms = (time) => Math.round(time) / 1000;
    const slices = ofKind(events, 'X').filter(({ tid }) => tid === lanesOf(events).get(lane));
    return slices.map(({ name, ts, dur }) => [name, ms(ts - origin), ms(dur)]);
  }

  let events;

  // Traces tasks of all kinds in each priority, in several turns of the loop, and a wait.
  beforeEach(async () => {
    const trace = traceTasks(file());
    for (const priority of ['background', 'user-visible', 'user-blocking']) {
      scheduler.postTask(async function page() {
        clock.spend(2);
        clock.post(1, { priority, label: LABEL });
        await scheduler.yield();
        clock.spend(3);
        await scheduler.wait(1);
        clock.spend(4);
      }, { priority });
    }
    const controller = new TaskController();
    const { signal } = controller;
    scheduler.postTask(() => {}, { signal, label: 'dropped' }).catch(() => {});
    controller.abort();
    requestIdleCallback(() => clock.spend(6));
    await clock.run();
    await clock.advance(100);
    clock.post(1, { label: 'last' });
    await clock.run();
    trace.stop();
    events = read(file());
  });

  it('has a lane for the loop and one for each priority, in this order', () => {
    const order = events.filter(({ name }) => name === 'thread_sort_index');
    const indices = new Map(order.map(({ tid, args }) => [tid, args.sort_index]));
    const found = Array.from(lanesOf(events), ([name, tid]) => [name, tid, indices.get(tid)]);
    assert.deepEqual(found, LANES.map((name, i) => [name, i + 1, i]));
  });

  it('has each step of a task within a turn of the loop, and none in its waits', () => {
    const found = LANES.map((lane) => [lane, slicesOf(events, lane)]);
    assert.deepEqual(Object.fromEntries(found), {
      'event loop': [
        ...Array(4).fill(['post', 0, 0]),
        ['turn', 0, 5], ['turn', 5, 5], ['turn', 10, 5], ['turn', 15, 5], ['turn', 20, 5],
        ['turn', 25, 5], ['turn', 30, 6], ['post', 136, 0], ['turn', 136, 1],
      ],
      'user-blocking': [['page', 0, 2], ['page', 2, 3], [LABEL, 5, 1], ['page', 6, 4]],
      'user-visible': [
        ['page', 10, 2], ['page', 12, 3], [LABEL, 15, 1], ['page', 16, 4], ['last', 136, 1],
      ],
      'background': [
        ['page', 20, 2], ['page', 22, 3], [LABEL, 25, 1], ['page', 26, 4],
        ['idle callback', 30, 6],
      ],
    });
  });

  it('has with each step its delay, how long it was queued, and the task that posted it', () => {
    const steps = ofKind(events, 'X').filter(({ args }) => args !== undefined);
    const first = Math.min(...steps.map(({ args }) => args.id));
    const found = steps.filter(({ tid }) => tid === lanesOf(events).get('user-visible'))
      .map(({ name, args: { id, parent, ...args } }) => [name, id - first, parent - first, args]);
    assert.deepEqual(found, [
      ['page', 1, NaN, { 'waited in us': 10_000 }],
      ['page', 8, 1, { 'waited in us': 0 }],
      [LABEL, 7, 1, { 'waited in us': 3000 }],
      ['page', 9, 1, { 'delay in ms': 1, 'waited in us': 0 }],
      ['last', 13, NaN, { 'waited in us': 0 }],
    ]);
  });

  it('has the numbers of queued tasks, and those that are aborted while they wait', () => {
    const counts = ofKind(events, 'C').map(({ args }) => LANES.slice(1).map((each) => args[each]));
    assert.deepEqual(counts, [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]);
    assert.deepEqual(ofKind(events, 'i').map(({ name }) => name), ['aborted: dropped']);
  });

  it('has no slices that overlap in part, and none that are unfinished', () => {
    assert.deepEqual(findOverlaps(events), []);
    assert.deepEqual(ofKind(events, 'B', 'E'), []);
  });

  it('has an arrow from the post of each task to its start', () => {
    // That of the aborted task ends nowhere.
    assert.equal(findLooseArrows(events).length, 1);
    assert.equal(ofKind(events, 'f').length, 13);
  });

  it('has a lane for the times in which work was held, named by the reason', async () => {
    const REASONS = ['container', 'machine'];
    const hold = fakeHold();
    const times = { container: 0, machine: 0 };
    let begun = 0;
    const timeOf = (name) => times[name] +
      (REASONS[hold.reason - 1] === name ? clock.now - begun : 0);
    for (const name of REASONS) Object.defineProperty(hold, name, { get: () => timeOf(name) });
    const { stop } = traceTasks(file());
    // A hold begins and ends in check phases.
    for (const [reason, ms] of [[1, 100], [0, 10], [2, 20], [1, 30]]) {
      scheduler.postTask(() => {
        for (const name of REASONS) times[name] = timeOf(name);
        begun = clock.now;
        hold.reason = reason;
      }, { priority: 'background' });
      await clock.run();
      await clock.advance(ms);
    }
    stop();
    const held = read(file());
    assert.deepEqual(slicesOf(held, HELD), [
      ['container', 0, 100], ['machine', 110, 20], ['container', 130, 30],
    ]);
    assert.deepEqual(findOverlaps(held), []);
  });

  it('has the step in which it is stopped, up to there; its file is closed', async () => {
    const trace = traceTasks(file());
    assert.equal(isOpen(file()), true);
    clock.post(1, { label: 'first' });
    let ran = 0;
    scheduler.postTask(() => {
      scheduler.postTask(() => ran++);
      scheduler.yield().then(() => ran++);
      clock.spend(2);
      trace.stop();
      clock.spend(4);
      trace.stop();
    }, { label: 'last' });
    await clock.run();
    assert.deepEqual([ran, isOpen(file())], [2, false]);
    const stopped = read(file());
    assert.deepEqual(slicesOf(stopped, 'user-visible'), [['first', 0, 1], ['last', 1, 2]]);
    assert.deepEqual(findOverlaps(stopped), []);
  });

  it('is refused with the code of the file system if its file cannot be opened', () => {
    const missing = inFolder('missing', 'trace.json');
    assert.throws(() => traceTasks(missing), ({ code, message, cause }) => {
      assert.ok(message.startsWith(
        "Failed to execute 'traceTasks': the file cannot be opened: ENOENT"), message);
      assert.ok(message.includes(missing));
      return code === 'ENOENT' && cause.code === 'ENOENT';
    });
  });
});

// Asserts on each Node what `work(node, folder)` returns, with a folder of its own.
const assertInFolder = (expected, work) =>
  assertOnEachNode(expected, (node) => withFolder((folder) => work(node, folder)));

describe('the file of a trace', function () {
  this.timeout(4 * LIMIT);

  const hangs = {
    'the first task': ['hangsAtOnce', ['culprit']],
    'a task behind an await': ['hangsInContinuation', ['culprit']],
    'a task after many short ones': ['hangsAfterMany', ['culprit']],
    'a task that has posted many': ['hangsWhilePosting', ['culprit']],
    'the task that began the trace': ['hangsWhereTraceBegins', ['culprit']],
    'a timer, and accuses no task': ['hangsOutsideOfTasks', []],
  };
  for (const [where, [program, names]] of Object.entries(hangs)) {
    it(`shows that a process was killed in ${where}`, async () => {
      const expected = { signal: 'SIGKILL', stdout: 'hangs\n', names, twice: [] };
      await assertInFolder(expected, async (node, folder) => {
        const file = path.join(folder, 'trace.json');
        const onStart = (child) => child.stdout.once('data', () => child.kill('SIGKILL'));
        const { signal, stdout } = await run(node, [PROGRAM, program, file], { onStart });
        const events = JSON.parse(`${fs.readFileSync(file, 'utf8')}]`);
        if (program === 'hangsAfterMany') assert.ok(ofKind(events, 'X').length > 300);
        const begun = ofKind(events, 'B');
        const isSame = (one, other) => one.tid === other.tid && one.ts === other.ts;
        const twice = begun.filter((each) => ofKind(events, 'X').some((x) => isSame(x, each)));
        return { signal, stdout, names: begun.map(({ name }) => name), twice };
      });
    });
  }

  if (fs.existsSync('/dev/full')) {
    it('ends with a warning when the disk is full, and tasks go on', async () => {
      await assertOnEachNode({ code: 0, stdout: 'all ran\n', warnings: 1 }, async (node) => {
        const { code, stdout, stderr } = await run(node, [PROGRAM, 'goesOn', '/dev/full']);
        const warnings = stderr.match(/UvSchedulerWarning: .*trace.*ENOSPC/g)?.length;
        return { code, stdout, warnings };
      });
    });
  }
});

function traceFromOutside(node, name) {
  const env = { ...process.env, UV_SCHEDULER_TRACE: name };
  return run(node, [PROGRAM, 'threads'], { env });
}

// The process and thread ids of a file's events.
function ownersOf(events) {
  const threadOf = (tid) => Math.trunc((tid - 1) / (LANES.length + 1));
  return new Set(events.map(({ pid, tid }) => `${pid} ${threadOf(tid)}`));
}

describe('the trace that UV_SCHEDULER_TRACE asks for', function () {
  this.timeout(4 * LIMIT);

  const NAMES = {
    't${tid}-p${pid}': /^t(?<tid>\d)-p(?<pid>\d+)$/,
    'a.json': /^a\.(?<pid>\d+)\.(?<tid>\d)\.json$/,
  };
  for (const [given, pattern] of Object.entries(NAMES)) {
    it(`is another one for each worker, with the ids in its name: ${given}`, async () => {
      const expected = { stdout: '0 0\n', stderr: '', tids: ['0', '1', '2'], own: true };
      await assertInFolder(expected, async (node, folder) => {
        const { stdout, stderr } = await traceFromOutside(node, `${folder}/${given}`);
        const names = fs.readdirSync(folder).sort();
        const ids = names.map((name) => pattern.exec(name).groups);
        const own = names.every((name, i) => {
          const events = read(path.join(folder, name));
          const isOwn = [...ownersOf(events)].join() === `${ids[i].pid} ${ids[i].tid}`;
          return isOwn && events.some((event) => event.name === LABEL);
        });
        return { stdout, stderr, tids: ids.map(({ tid }) => tid), own };
      });
    });
  }

  it('is missed with a warning if its file cannot be opened, and the program goes on', async () => {
    await assertInFolder({ code: 0, stdout: '0 0\n', isWarned: true }, async (node, folder) => {
      const name = path.join(folder, 'missing', 'a.json');
      const { code, stdout, stderr } = await traceFromOutside(node, name);
      const isWarned = /UvSchedulerWarning: UV_SCHEDULER_TRACE: ENOENT/.test(stderr);
      return { code, stdout, isWarned };
    });
  });
});
