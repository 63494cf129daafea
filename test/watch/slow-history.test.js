'use strict';

// The history of reportSlowTasks(), which says which labels blocked the thread, over times that no
// test can wait for; and V8's profiles, as reportSlowTasks() and uv-scheduler/report read them.
// @host each-node

const assert = require('node:assert/strict');
require('../..');
const { History, OTHER_TASKS } = require('../../lib/watch/slow/history.js');
const { Profile } = require('../../lib/watch/slow/profile.js');
const { Sample, SampledStacks } = require('../../lib/watch/slow/stack-samples.js');
const { Profiler } = require('../../lib/watch/slow/profiler.js');
const { compute } = require('../helpers/busy.js');
const { theWatch } = require('../../dist/watching.js').parts();

const RESOLUTION = 100;
const MICROSECONDS = 1e3;
const NANOSECONDS = 1e6;

describe('the history of what blocked the thread', () => {
  it('knows the shares of any time up to now within 3 points, in bounded memory', () => {
    const history = new History(RESOLUTION);
    // With a resolution of 0.1 s, spans of 50 ms for more than a day: of another name in each
    // seventh of the time that is left, so that every wait has several.
    const END = 1e8;
    const nameAt = (now) => Math.floor(Math.log(END - now) / Math.log(6 / 7));
    const spans = new Map();
    for (let now = 0; now < END; now += 50) {
      const name = nameAt(now);
      history.add(now, now + 50, [[name, 50]]);
      const { start = now } = spans.get(name) ?? {};
      spans.set(name, { start, end: now + 50 });
    }
    const chapters = history.chapters.length;
    assert.ok(chapters < 2500, `${chapters} chapters`);
    // A wait is at least a hundred times as long as what the history resolves.
    for (let wait = 100 * RESOLUTION; wait <= END; wait *= 1.02) {
      const times = history.read(END - wait, END);
      const sum = [...times.values()].reduce((all, time) => all + time, 0);
      assert.ok(Math.abs(sum / wait - 1) < 0.001, `${sum}, not ${wait}`);
      for (const [name, { start, end }] of spans) {
        const expected = Math.max(0, end - Math.max(start, END - wait));
        const actual = times.get(name) ?? 0;
        assert.ok(Math.abs(actual - expected) <= 0.03 * wait, `${name}: ${actual}, ${expected}`);
      }
    }
  }).timeout(30_000);

  it('puts tasks together where they have very many labels, and nothing else', () => {
    const history = new History(RESOLUTION);
    const often = { kind: 'task', label: 'often', priority: 'background' };
    const other = { kind: 'other', label: '', priority: undefined };
    const COUNT = 300_000;
    for (let i = 0; i < COUNT; i++) {
      const once = { kind: 'task', label: `${i}`, priority: 'background' };
      history.add(20 * i, 20 * i + 20, [[often, 10], [other, 1], [once, 9]]);
    }
    const times = history.read(0, 20 * COUNT);
    assert.deepEqual([times.get(often), times.get(other)], [10 * COUNT, COUNT]);
    assert.ok(times.get(OTHER_TASKS) > 8.9 * COUNT);
    const sum = [...times.values()].reduce((all, time) => all + time, 0);
    assert.equal(Math.round(sum), 20 * COUNT);
    assert.ok(times.size <= 101, `${times.size} culprits`);
    const remembered = history.chapters.reduce((all, each) => all + each.times.size, 0);
    assert.ok(remembered < 150_000, `${remembered} culprits in all chapters`);
  }).timeout(30_000);
});

// A profile with a sample of one millisecond for each stack, which has the outermost call first.
// Names in parentheses are not those of functions of the program.
function profileOf(stacks) {
  const nodes = [];
  const find = (parent, functionName) => {
    const isIt = (id) => nodes[id - 1].callFrame.functionName === functionName;
    const known = parent?.children.find(isIt);
    if (known !== undefined) return nodes[known - 1];
    const url = functionName.startsWith('(') ? '' : '/app.js';
    const callFrame = { functionName, scriptId: '1', url, lineNumber: 0, columnNumber: 0 };
    const node = { id: nodes.length + 1, callFrame, children: [] };
    nodes.push(node);
    parent?.children.push(node.id);
    return node;
  };
  const root = find(undefined, '(root)');
  const samples = stacks.map((stack) => stack.reduce(find, root).id);
  const timeDeltas = samples.map((_, i) => (i === 0 ? 0 : MICROSECONDS));
  const endTime = stacks.length * MICROSECONDS;
  return new Profile({ nodes, samples, timeDeltas, startTime: 0, endTime }, 0);
}

const times = (count, stack) => Array.from({ length: count }, () => stack);
const names = (count) => Array.from({ length: count }, (_, i) => `call${i}`);

describe('a profile', () => {
  const DEEP = Array.from({ length: 40 }, (_, i) => names(300).slice(i, i + 255));
  const SHALLOW = names(20);

  // The lengths of the callbacks in milliseconds.
  const CALLBACKS = {
    'by their outermost functions, and by the time outside of them': [
      [['one', 'inner'], ['one'], ['(idle)'], ['one'], ['two'], ['two', 'one']], [2, 1, 2],
    ],
    'but not where V8 has missed a stack':
      [[['one'], ['(program)'], ['one', 'inner'], ['(program)'], ['two']], [3, 1]],
    'by native code between them': [[['one'], ...times(2, ['(program)']), ['one']], [1, 1]],
    'but not in a recursion that is deeper than V8 tells':
      [[...times(3, SHALLOW), ...DEEP, ...times(2, SHALLOW)], [45]],
    'where one ends behind a recursion that is deeper than V8 tells':
      [[...DEEP, SHALLOW, ['(idle)'], SHALLOW], [41, 1]],
  };
  for (const [what, [stacks, expected]] of Object.entries(CALLBACKS)) {
    it(`tells callbacks apart ${what}`, () => {
      const callbacks = profileOf(stacks).callbacksIn(0, stacks.length * NANOSECONDS);
      assert.deepEqual(callbacks.map(({ start, end }) => (end - start) / NANOSECONDS), expected);
    });
  }

  const GARBAGE = ['(garbage collector)'];
  const STACKS = {
    'with the most time': [[...times(2, ['one', 'slow']), ['one', 'other'], ['two']],
      ['slow', 'one']],
    'of a call between garbage collections':
      [[...times(5, GARBAGE), ...times(2, ['one', 'inner']), ['one']], ['inner', 'one']],
    'of a garbage collection if there is no call': [times(2, GARBAGE), GARBAGE],
    'of nothing outside of functions': [[['(program)']], []],
    'with all calls that took half of the time': [
      [...times(3, ['elsewhere']), ...names(6).map((each) => ['one', 'two', each]),
        ['one', 'two', 'call0']],
      ['call0', 'two', 'one'],
    ],
    'with all calls, however deep': [[names(200)], names(200).reverse()],
  };
  for (const [what, [stacks, expected]] of Object.entries(STACKS)) {
    it(`has the stack ${what}`, () => {
      const { stack } = profileOf(stacks).functionsIn(0, stacks.length * NANOSECONDS);
      assert.deepEqual(stack.map(({ functionName }) => functionName), expected);
    });
  }

  for (const [difference, hours] of [['ahead of', 1], ['behind', -1]]) {
    it(`has the times of the scheduler's clock where that is ${difference} V8's`, () => {
      const now = () => theWatch().now() + hours * 3600e9;
      const profiler = new Profiler(2, now);
      const start = now();
      compute(100);
      const { functions } = profiler.stop().functionsIn(start, now());
      assert.notDeepEqual(functions, []);
    }).timeout(30_000);
  }
});

describe('stacks that were read while a callback blocked the thread', () => {
  const site = (name, line) => ({
    getFunctionName: () => name,
    getScriptNameOrSourceURL: () => '/app.js',
    getTypeName: () => 'Object',
    getLineNumber: () => line,
    getEnclosingLineNumber: () => 1,
    getColumnNumber: () => 5,
    getEnclosingColumnNumber: () => 5,
  });
  // Each sample: its time in ms, its async id, and the names of the functions, the innermost first.
  function stacksOf(...samples) {
    return new SampledStacks(samples.map(([time, id, all, waited = 0]) => {
      const sites = all.map((name) => site(name, 2));
      return Object.assign(new Sample(undefined, sites, time, waited), { id });
    }));
  }
  const lengths = (stacks, end, slept = 0) =>
    stacks.callbacksIn(0, end * NANOSECONDS, slept * NANOSECONDS)
      .map((each) => [each.start / NANOSECONDS, each.end / NANOSECONDS]);

  it('tell callbacks apart by their async ids and outermost functions', () => {
    const stacks = stacksOf([20, 1, ['f', 'a']], [30, 1, ['a']], [40, 2, ['a']], [60, 2, ['b']]);
    assert.deepEqual(lengths(stacks, 80), [[0, 35], [35, 50], [50, 80]]);
  });

  it('tell whether the loop has slept before the callback or behind it', () => {
    assert.deepEqual(lengths(stacksOf([120, 1, ['a']], [160, 1, ['a']]), 200, 100), [[100, 200]]);
    assert.deepEqual(lengths(stacksOf([20, 1, ['a']], [60, 1, ['a']]), 200, 100), [[0, 100]]);
    assert.deepEqual(lengths(stacksOf(), 200, 100), [[100, 200]]);
  });

  it('have the time around each, the line of each function, and native calls', () => {
    const stacks = stacksOf([20, 1, ['f', 'a']], [40, 1, ['a']], [100, 1, ['a'], 60]);
    const { functions, stack } = stacks.functionsIn(0, 110 * NANOSECONDS);
    const found = functions.map(({ functionName, self }) => [functionName, self]);
    assert.deepEqual(found, [['a', 40], ['a native call', 40], ['f', 30]]);
    assert.deepEqual(stack.map(({ functionName, line }) => [functionName, line]),
      [['a', 2]]);
  });

  it('do not name a function that was only just called when native code returned', () => {
    const late = new Sample(undefined, [site('next', 1), site('a', 2)], 50, 10);
    assert.deepEqual(late.sites.map((each) => each.getFunctionName()), ['a']);
  });
});
