'use strict';

// Samples of the thread's call stack, as a profile of V8 has them. Finds the functions that used
// the time of a period, and the callbacks that ran in it.

const module_ = require('node:module');
const { hasNoStack, isGarbageCollection, isNoFunction } = require('../../loading/undocumented.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');

const NANOSECONDS_PER_MICROSECOND = 1e3;

// The maximum number of functions in a report.
const MOST_FUNCTIONS = 10;

// V8 samples at most this many calls, the innermost ones, besides those of inlined functions.
const MOST_CALLS = 255;

// Finds the last position of a line in a source map.
const END_OF_LINE = 1e6;

// Stacks over the time.
class Stacks {
  // `visit(start, end, each)` calls `each(node, from, until)` for the parts of a period.
  #visit;
  // Whether the ticks of nodes are also those of the calls in them.
  #hasCalls;

  constructor(visit, hasCalls = false) {
    this.#visit = visit;
    this.#hasCalls = hasCalls;
  }

  // The functions that used the time of a period, the largest first, and the call stack with the
  // most time, the innermost call first; see longestOf(). Each has the milliseconds of the function
  // itself and including its calls.
  functionsIn(start, end) {
    const own = new Map();
    this.#visit(start, end, (node, from, until) => {
      own.set(node, (own.get(node) ?? 0) + (until - from) / NANOSECONDS_PER_MILLISECOND);
    });
    const functions = new Map();
    const lines = new Lines();
    for (const [node, time] of own) {
      for (const each of this.#hasCalls ? callsOf(node) : [node]) lines.add(each);
      const seen = new Set();
      for (const each of callsOf(node)) {
        const key = keyOf(each.callFrame);
        const entry = functions.get(key) ?? { ...siteOf(each.callFrame), self: 0, total: 0 };
        functions.set(key, entry);
        if (each === node) entry.self += time;
        if (!seen.has(key)) entry.total += time;
        seen.add(key);
      }
    }
    for (const [key, entry] of functions) {
      if (entry.self > 0) entry.hottestLine = lines.hottest(key, entry);
      if (this.#hasCalls) entry.line = lines.hottest(key, entry);
    }
    const all = [...functions.values()].filter(({ self }) => self > 0);
    const stack = callsOf(longestOf(own));
    return {
      functions: all.sort((one, other) => other.self - one.self).slice(0, MOST_FUNCTIONS),
      stack: stack.map(({ callFrame }) => functions.get(keyOf(callFrame))),
    };
  }
}

// What V8's profiler has sampled.
class Profile extends Stacks {
  #nodes = new Map();
  // The time of each sample in nanoseconds, and the end of the last one.
  #times;
  #samples;
  // When callbacks began, in nanoseconds, as far as that is known.
  #begins;

  // Takes the inspector's profile. `offset` is added to its microseconds.
  constructor({ nodes, samples, timeDeltas, startTime, endTime }, offset, begins = []) {
    super((start, end, each) => this.#visit(start, end, each));
    this.#begins = begins;
    for (const node of nodes) this.#nodes.set(node.id, { ...node, parent: undefined });
    for (const { id, children = [] } of nodes) {
      for (const child of children) this.#nodes.get(child).parent = this.#nodes.get(id);
    }
    this.#samples = samples;
    this.#times = new Float64Array(samples.length + 1);
    let time = startTime + offset;
    timeDeltas.forEach((delta, i) => {
      time += delta;
      this.#times[i] = time * NANOSECONDS_PER_MICROSECOND;
    });
    this.#times[samples.length] = (endTime + offset) * NANOSECONDS_PER_MICROSECOND;
  }

  // Calls `visit(node, start, end)` for each sample in a period. A sample counts until the next
  // one, clamped to the period.
  #visit(start, end, visit) {
    const times = this.#times;
    for (let i = this.#firstIn(start); i < this.#samples.length && times[i] < end; i++) {
      const from = Math.max(start, times[i]);
      const until = Math.min(end, times[i + 1]);
      if (until > from) visit(this.#nodes.get(this.#samples[i]), from, until);
    }
  }

  // The index of the sample at a time.
  #firstIn(time) {
    let low = 0;
    let high = this.#samples.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle + 1] <= time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The callbacks that ran in a period: each `{ start, end }`. Where their begins are not known,
  // two successive callbacks count as one if the same function of Node has called the same function
  // of the program.
  callbacksIn(start, end) {
    const callbacks = [];
    let last;
    let isLost = false;
    let next = this.#begins.findIndex((time) => time >= start);
    if (next === -1) next = Infinity;
    this.#visit(start, end, (node, from, until) => {
      // V8 may fail to read the stack while code is being optimized: a single sample without one
      // does not end a callback.
      isLost = !isLost && hasNoStack(node.callFrame);
      if (isLost) return;
      // A garbage collection interrupts a callback without ending it.
      const callers = isGarbageCollection(node.callFrame) ? last : callersOf(node);
      const hasBegun = this.#begins[next] <= from;
      while (this.#begins[next] <= from) next++;
      if (callers !== undefined && last !== undefined && !hasBegun && canBeSame(callers, last)) {
        callbacks.at(-1).end = until;
        last.outermost ??= callers.outermost;
        last.own ??= callers.own;
        return;
      }
      last = callers;
      if (callers !== undefined) callbacks.push({ start: from, end: until });
    });
    return callbacks;
  }
}

// How many samples each line of the functions has, by the key of the function. V8 counts them over
// the whole profile.
class Lines {
  #counts = new Map();
  #nodes = new Set();

  add(node) {
    if (this.#nodes.has(node)) return;
    this.#nodes.add(node);
    const { callFrame, positionTicks = [] } = node;
    const key = keyOf(callFrame);
    let found = this.#counts.get(key);
    if (found === undefined) this.#counts.set(key, found = { callFrame, lines: new Map() });
    for (const { line, ticks } of positionTicks) {
      found.lines.set(line, (found.lines.get(line) ?? 0) + ticks);
    }
  }

  // The line with most samples of the function at a site; undefined if it is unknown.
  hottest(key, { scriptName, lineNumber }) {
    const { callFrame, lines } = this.#counts.get(key);
    const [first] = [...lines].sort(([, one], [, other]) => other - one);
    if (first === undefined) return undefined;
    const { url, lineNumber: begin } = callFrame;
    // A bundle may have one line for all of its sources.
    if (first[0] === begin + 1) return lineNumber;
    if (scriptName === url) return first[0];
    const mapped = originOf(url, first[0] - 1, END_OF_LINE);
    return mapped?.originalSource === scriptName ? mapped.originalLine + 1 : undefined;
  }
}

// The functions on the stack, the innermost first; empty outside of JavaScript.
function callsOf(node) {
  const calls = [];
  for (let each = node; each !== undefined; each = each.parent) {
    if (!isNoFunction(each.callFrame)) calls.push(each);
  }
  return calls;
}

// The outermost function on the stack, and the outermost function that is not Node's; undefined
// outside of JavaScript. Both are unknown on a stack that V8 has cut.
function callersOf(node) {
  const calls = callsOf(node);
  if (calls.length === 0) return undefined;
  if (calls.length >= MOST_CALLS) return { outermost: undefined, own: undefined };
  return { outermost: calls.at(-1), own: calls.findLast(({ callFrame }) => isOwn(callFrame)) };
}

function isOwn({ url }) {
  return url !== '' && !url.startsWith('node:');
}

// Whether two samples can be of one callback.
function canBeSame(one, other) {
  return ['outermost', 'own'].every((name) => {
    return one[name] === undefined || other[name] === undefined || one[name] === other[name];
  });
}

function keyOf({ functionName, scriptId, lineNumber, columnNumber }) {
  return `${functionName} ${scriptId}:${lineNumber}:${columnNumber}`;
}

// The node with the most time of its own, among those below every call that took more than half of
// the time. Garbage collections have no stack, and count only if there is nothing else.
function longestOf(own) {
  const isCall = ([node]) => callsOf(node).some(({ callFrame }) => !isGarbageCollection(callFrame));
  const calls = [...own].filter(isCall);
  if (calls.length === 0) {
    return [...own.keys()].find(({ callFrame }) => isGarbageCollection(callFrame));
  }
  const totals = new Map();
  let all = 0;
  for (const [node, time] of calls) {
    all += time;
    for (const each of callsOf(node)) totals.set(each, (totals.get(each) ?? 0) + time);
  }
  const ranks = calls.map(([node, time]) => {
    const large = callsOf(node).filter((each) => totals.get(each) > all / 2).length;
    return { node, large, time };
  });
  ranks.sort((one, other) => other.large - one.large || other.time - one.time);
  return ranks[0].node;
}

// The position of a function, in the format of `util.getCallSites()`; the original position if Node
// maps sources.
function siteOf({ functionName, url, lineNumber, columnNumber }) {
  const mapped = process.sourceMapsEnabled ? originOf(url, lineNumber, columnNumber) : undefined;
  return mapped === undefined
    ? site(functionName, url, lineNumber, columnNumber)
    : site(mapped.name ?? functionName, mapped.originalSource, mapped.originalLine,
      mapped.originalColumn);
}

// Lines and columns count from 0 in profiles and from 1 elsewhere; work that is not code has -1.
function site(functionName, scriptName, line, column) {
  return { functionName, scriptName, lineNumber: line + 1, columnNumber: column + 1 };
}

function originOf(url, line, column) {
  const map = module_.findSourceMap(url) ?? module_.findSourceMap(pathOf(url));
  const entry = map?.findEntry(line, column);
  return entry?.originalSource === undefined ? undefined : entry;
}

function pathOf(url) {
  if (!url.startsWith('file:')) return url;
  return require('node:url').fileURLToPath(url);
}

module.exports = { Profile, Stacks, isOwn };
