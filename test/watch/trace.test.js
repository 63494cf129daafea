'use strict';

// Traces of tasks: what is in their files, when they are complete, and whose they are.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { scheduler, traceTasks } = require('../..');
const { useFolder, withFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, assertOnEachNode, nodes, run } = require('../helpers/loop.js');
const { endOf, findLooseArrows, findOverlaps, lanesOf, ofKind } = require('../helpers/trace.js');
const { fakeHold, separateTests } = require('../helpers/watch.js');

const PROGRAM = path.join(FIXTURES, 'traced.js');
const LANES = ['event loop', 'user-blocking', 'user-visible', 'background'];
// This lane is there only if background work was held.
const HELD = 'held';
const LABEL = '"0"\n\u00e9';

// Asserts on each Node what `work(node, folder)` returns, with a folder of its own.
const assertInFolder = (expected, work) =>
  assertOnEachNode(expected, (node) => withFolder((folder) => work(node, folder)));

const trace = (node, program, file) => run(node, [PROGRAM, program, file]);

function traceFromOutside(node, program, name) {
  const env = { ...process.env, UV_SCHEDULER_TRACE: name };
  return run(node, [PROGRAM, program], { env });
}

const read = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

// The process and thread ids of a file's events.
function ownersOf(events) {
  const threadOf = (tid) => Math.trunc((tid - 1) / (LANES.length + 1));
  return new Set(events.map(({ pid, tid }) => `${pid} ${threadOf(tid)}`));
}

describe('a trace', function () {
  this.timeout(4 * LIMIT);
  separateTests();

  const state = {};
  const inFolder = useFolder();

  before(async () => {
    const file = inFolder('trace.json');
    const result = await trace(nodes.at(-1), 'exits', file);
    assert.deepEqual([result.code, result.stderr], [3, '']);
    state.events = read(file);
  });

  it('has a lane for the loop and one for each priority, in this order', () => {
    const lanes = lanesOf(state.events);
    assert.deepEqual([...lanes.keys()], LANES);
    assert.deepEqual([...lanes.values()], [1, 2, 3, 4]);
    const order = state.events.filter(({ name }) => name === 'thread_sort_index');
    assert.deepEqual(order.map(({ tid, args }) => [tid, args.sort_index]), [
      [1, 0], [2, 1], [3, 2], [4, 3],
    ]);
  });

  it('has a slice for each step of a task, in the lane of its priority, with its label', () => {
    const lanes = lanesOf(state.events);
    for (const priority of LANES.slice(1)) {
      const slices = ofKind(state.events, 'X').filter(({ tid }) => tid === lanes.get(priority));
      const count = (label) => slices.filter(({ name }) => name === label).length;
      // Each of five pages is a task, a yield() and a wait().
      assert.equal(count('page'), 15, priority);
      assert.equal(count(LABEL), 1, priority);
    }
    const idle = state.events.filter(({ name }) => name === 'idle callback');
    assert.deepEqual(idle.map(({ tid }) => tid), Array(5).fill(lanes.get('background')));
    const dropped = ofKind(state.events, 'i');
    assert.deepEqual(dropped.map(({ name }) => name), Array(5).fill('aborted: dropped'));
  });

  it('has the numbers of queued tasks', () => {
    const counters = ofKind(state.events, 'C');
    assert.ok(counters.length > 1);
    for (const { args } of counters) {
      assert.deepEqual(Object.keys(args).sort(), LANES.slice(1).sort());
    }
  });

  it('has each step of a task within a turn of the loop, and none in its waits', () => {
    const turns = state.events.filter(({ name }) => name === 'turn');
    const loop = lanesOf(state.events).get('event loop');
    const steps = ofKind(state.events, 'X').filter(({ tid }) => tid !== loop);
    // A step and its turn may end at the same nanosecond.
    const isWithin = (step, turn) => turn.ts <= step.ts && endOf(step) < endOf(turn) + 0.001;
    const isOutside = (step) => !turns.some((turn) => isWithin(step, turn));
    assert.deepEqual(steps.filter(isOutside), []);
    const [first] = turns;
    const all = endOf(turns.at(-1)) - first.ts;
    const inTurns = turns.reduce((sum, { dur }) => sum + dur, 0);
    // The program waits for 300 ms.
    assert.ok(all - inTurns > 200_000, `${inTurns} of ${all} µs`);
  });

  it('has no slices that overlap in part, and none that are unfinished', () => {
    assert.deepEqual(findOverlaps(state.events), []);
    assert.deepEqual(ofKind(state.events, 'B', 'E'), []);
  });

  it('has an arrow from the post of each task to its start', () => {
    const loose = findLooseArrows(state.events);
    // The arrows of aborted tasks end nowhere. The last task ends with the process.
    const ends = new Set(ofKind(state.events, 'f').map(({ id }) => id));
    assert.deepEqual(loose.filter(({ id }) => ends.has(id)), []);
    assert.equal(loose.length, 5);
    assert.equal(ends.size, 61);
  });

  it('has with each step its delay, how long it was queued, and the task that posted it', () => {
    const steps = ofKind(state.events, 'X').filter(({ args }) => args !== undefined);
    const pages = steps.filter(({ name }) => name === 'page');
    const delays = pages.map(({ args }) => args['delay in ms']).filter((delay) => delay > 0);
    // The wait(1) of each page.
    assert.deepEqual(delays, Array(15).fill(1));
    const posts = new Map(ofKind(state.events, 's').map(({ id, ts }) => [id, ts]));
    for (const { args, ts } of steps) {
      if (args['delay in ms'] !== undefined) continue;
      const off = args['waited in us'] - (ts - posts.get(args.id));
      assert.ok(Math.abs(off) <= 1, JSON.stringify(args));
    }
    const ids = new Set(pages.map(({ args }) => args.id));
    const sections = steps.filter(({ name }) => /^"\d"\n/.test(name));
    assert.equal(sections.length, 15);
    for (const { args } of sections) assert.ok(ids.has(args.parent), JSON.stringify(args));
  });

  it('has a lane for the times in which work was held, named by the reason', async () => {
    // The reason of each hold, its begin, and its end once it has ended.
    const holds = [];
    const current = () => (holds.at(-1)?.length === 2 ? holds.at(-1) : undefined);
    const timeFor = (name) => holds.filter(([reason]) => reason === name)
      .reduce((sum, [, from, to = performance.now()]) => sum + to - from, 0);
    Object.defineProperties(fakeHold(), {
      container: { get: () => timeFor('container') },
      machine: { get: () => timeFor('machine') },
      reason: { get: () => [undefined, 'container', 'machine'].indexOf(current()?.[0]) },
    });
    // As a hold begins and ends in check phases.
    const change = (reason) => scheduler.postTask(() => {
      const now = performance.now();
      current()?.push(now);
      if (reason !== undefined) holds.push([reason, now]);
    }, { priority: 'background' });
    const file = inFolder('holds.json');
    const { stop } = traceTasks(file);
    // The longest turn, which takes long if the machine stands still.
    let longest = 0;
    for (const reason of ['container', undefined, 'machine', 'container']) {
      await change(reason);
      for (let i = 0; i < 20; i++) {
        const before = performance.now();
        await sleep(5);
        longest = Math.max(longest, performance.now() - before);
      }
    }
    stop();
    await change(undefined);
    const events = read(file);
    const slices = ofKind(events, 'X').filter(({ tid }) => tid === lanesOf(events).get(HELD));
    assert.deepEqual(slices.map(({ name }) => name), ['container', 'machine', 'container']);
    assert.deepEqual(findOverlaps(events), []);
    // The two clocks differ by up to 1 ms, and a hold may begin and end late by a turn each.
    const slack = 1 + 2 * longest;
    slices.forEach(({ ts, dur }, i) => {
      const [, from, to] = holds[i];
      const isRight = ts / 1000 > from - slack && Math.abs(dur / 1000 - (to - from)) < slack;
      assert.ok(isRight, `${ts} ${dur} ${from} ${to} ${slack}`);
    });
  });

  it('has the step in which it is stopped, up to there; its file is closed', async () => {
    const names = [LABEL, 'the last one'];
    const end = { code: 0, stdout: '2 true false\n', stderr: '' };
    const result = { ...end, names, overlaps: [], isShort: true };
    await assertInFolder(result, async (node, folder) => {
      const file = path.join(folder, 'trace.json');
      const { code, stdout, stderr } = await trace(node, 'stopped', file);
      const events = read(file);
      const found = names.filter((label) => events.some(({ name }) => name === label));
      const { ts, dur } = events.find(({ name }) => name === 'the last one');
      const isShort = !events.some((each) => each.ts > ts + dur);
      return { code, stdout, stderr, names: found, overlaps: findOverlaps(events), isShort };
    });
  });

  it('is refused with the code of the file system if its file cannot be opened', async () => {
    await assertInFolder({ code: 0, stderr: '', isRefused: true }, async (node, folder) => {
      const file = path.join(folder, 'missing', 'trace.json');
      const { code, stdout, stderr } = await trace(node, 'isRefused', file);
      const [line, ...rest] = stdout.trim().split('\n');
      const { message, ...error } = JSON.parse(line);
      assert.deepEqual([error, rest], [{ code: 'ENOENT', cause: 'ENOENT' }, ['all ran']]);
      const expected = "Failed to execute 'traceTasks': the file cannot be opened: ENOENT";
      return { code, stderr, isRefused: message.startsWith(expected) && message.includes(file) };
    });
  });

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
        const { code, stdout, stderr } = await trace(node, 'goesOn', '/dev/full');
        const warnings = stderr.match(/UvSchedulerWarning: .*trace.*ENOSPC/g)?.length;
        return { code, stdout, warnings };
      });
    });
  }
});

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
        const { stdout, stderr } = await traceFromOutside(node, 'threads', `${folder}/${given}`);
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
    await assertInFolder({ code: 0, stdout: 'all ran\n', isWarned: true }, async (node, folder) => {
      const name = path.join(folder, 'missing', 'a.json');
      const { code, stdout, stderr } = await traceFromOutside(node, 'isTracedFromOutside', name);
      const isWarned = /UvSchedulerWarning: UV_SCHEDULER_TRACE: ENOENT/.test(stderr);
      return { code, stdout, isWarned };
    });
  });
});
