'use strict';

// How a profile of V8 is read: the callbacks in it, the stack with the most time, and by how many
// profilers.

const assert = require('node:assert/strict');
const { shared } = require('../../lib/watch/channels.js');
const { Profile } = require('../../lib/watch/slow/profile.js');
const { Profiler } = require('../../lib/watch/slow/profiler.js');

const MICROSECONDS = 1e3;
const NANOSECONDS = 1e6;

// A profile with a sample of one millisecond for each stack, which has the outermost call first.
// Names with a dot are those of files of the program.
function profileOf(stacks) {
  const nodes = [{ id: 1, callFrame: frameOf('(root)'), children: [] }];
  const find = (parent, name) => {
    const known = parent.children.find((id) => nodes[id - 1].callFrame.functionName === name);
    if (known !== undefined) return nodes[known - 1];
    const node = { id: nodes.length + 1, callFrame: frameOf(name), children: [] };
    nodes.push(node);
    parent.children.push(node.id);
    return node;
  };
  const samples = stacks.map((stack) => stack.reduce(find, nodes[0]).id);
  const timeDeltas = samples.map((_, i) => (i === 0 ? 0 : MICROSECONDS));
  const endTime = stacks.length * MICROSECONDS;
  return new Profile({ nodes, samples, timeDeltas, startTime: 0, endTime }, 0);
}

const frameOf = (functionName) => ({
  functionName,
  scriptId: '1',
  url: functionName.startsWith('(') ? '' : '/app.js',
  lineNumber: 0,
  columnNumber: 0,
});

const times = (count, stack) => Array.from({ length: count }, () => stack);

// The lengths of the callbacks in a profile, in milliseconds.
function lengthsIn(stacks) {
  const callbacks = profileOf(stacks).callbacksIn(0, stacks.length * NANOSECONDS);
  return callbacks.map(({ start, end }) => (end - start) / NANOSECONDS);
}

function stackIn(stacks) {
  const { stack } = profileOf(stacks).functionsIn(0, stacks.length * NANOSECONDS);
  return stack.map(({ functionName }) => functionName);
}

const GARBAGE = ['(garbage collector)'];

describe('a profile', () => {
  it('tells callbacks apart by their outermost functions, and by the time outside of them', () => {
    const stacks = [['one', 'inner'], ['one'], ['(program)'], ['one'], ['two'], ['two', 'one']];
    assert.deepEqual(lengthsIn(stacks), [2, 1, 2]);
  });

  it('has one callback for a recursion that is deeper than V8 tells', () => {
    const names = Array.from({ length: 300 }, (_, i) => `call${i}`);
    const deep = Array.from({ length: 40 }, (_, i) => names.slice(i, i + 255));
    const shallow = names.slice(0, 20);
    assert.deepEqual(lengthsIn([...times(3, shallow), ...deep, ...times(2, shallow)]), [45]);
    assert.deepEqual(lengthsIn([...deep, shallow, ['(program)'], shallow]), [41, 1]);
  });

  it('has the stack with the most time', () => {
    const stacks = [...times(2, ['one', 'slow']), ['one', 'other'], ['two']];
    assert.deepEqual(stackIn(stacks), ['slow', 'one']);
  });

  it('has the stack of a call between garbage collections, if there is one', () => {
    const stacks = [...times(5, GARBAGE), ...times(2, ['one', 'inner']), ['one']];
    assert.deepEqual(stackIn(stacks), ['inner', 'one']);
    assert.deepEqual(stackIn(times(2, GARBAGE)), GARBAGE);
    assert.deepEqual(stackIn([['(program)']]), []);
  });

  it('has all calls that took half of the time on the stack, and none elsewhere', () => {
    const inner = Array.from({ length: 6 }, (_, i) => ['one', 'two', `call${i}`]);
    const stacks = [...times(3, ['elsewhere']), ...inner, ['one', 'two', 'call0']];
    assert.deepEqual(stackIn(stacks), ['call0', 'two', 'one']);
  });

  it('has the outermost calls of a deep stack', () => {
    const names = Array.from({ length: 200 }, (_, i) => `call${i}`);
    assert.deepEqual(stackIn([names]), [...names].reverse());
  });
});

describe('profilers with the same interval', () => {
  const INTERVAL = 7;

  it('share the samples until the last one has stopped, and get what another one reads', () => {
    const now = () => performance.now() * NANOSECONDS;
    const read = [];
    const profilers = [0, 1].map((i) => {
      return new Profiler(INTERVAL, now, (profile) => read.push([i, profile]));
    });
    assert.equal(shared.samples.get(INTERVAL).readers.size, 2);
    const first = profilers[0].rotate();
    const last = profilers[0].stop();
    assert.ok(first instanceof Profile && last instanceof Profile);
    assert.deepEqual(read, [[1, first], [1, last]]);
    assert.ok(profilers[1].rotate() instanceof Profile);
    assert.ok(shared.samples.has(INTERVAL));
    assert.ok(profilers[1].stop() instanceof Profile);
    assert.ok(!shared.samples.has(INTERVAL));
    assert.equal(read.length, 2);
  });
});
