'use strict';

// The stacks of what blocks the thread, as another thread asks for them: see ../sampler.js. Nothing
// is asked, and nothing kept, while nothing blocks.

const { executionAsyncId } = require('node:async_hooks');
const { NATIVE_CALL } = require('../../loading/undocumented.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { canSample, readBlocks } = require('../sampler.js');
const { Stacks, isOwn } = require('./profile.js');

// An answer that takes longer, in ms, has waited: in most cases for native code to return. If it
// takes much longer, the machine was hardly what it waited for.
const LATE = 4;
const NATIVE_TIME = 30;

// The maximum number of samples that are kept until they are read.
const MOST = 10_000;

// The code of Node that changes the queue of ticks, and calls them and microtasks.
const TICKS = /^node:internal\/(?:process\/|fixed_queue)/;
const isInTicks = (sites) => sites.some((each) => TICKS.test(each.getScriptNameOrSourceURL()));

// A program may replace them.
const { nextTick } = process;
const { queueMicrotask } = globalThis;

// As V8's profiles have them, which count lines and columns from 0.
const NATIVE = {
  functionName: NATIVE_CALL, url: '', scriptId: '', lineNumber: -1, columnNumber: -1,
};

class Sample {
  id = executionAsyncId();
  // In nanoseconds.
  time;
  isInNative;
  // The call sites, the innermost first.
  sites;

  constructor(request, sites, time, waited) {
    this.request = request;
    this.time = time * NANOSECONDS_PER_MILLISECOND;
    this.isInNative = waited > NATIVE_TIME && !isOfV8(sites[0]);
    // The caller of the native code may have returned, and its caller called the next function.
    const hasBegun = waited > LATE && sites.length > 1 && isAtBegin(sites[0]);
    this.sites = hasBegun ? sites.slice(1) : sites;
  }
}

// The nodes of a profile, from the outermost functions to the innermost.
class Tree {
  #roots = new Map();
  #nodes = new Map();

  // Most garbage collections take less time than this native code.
  nodeOf(sample) {
    let found = this.#nodes.get(sample);
    if (found !== undefined) return found;
    for (const site of sample.sites.toReversed()) {
      found = this.#childOf(found, frameOf(site));
      found.positionTicks.push({ line: site.getLineNumber() ?? 0, ticks: 1 });
    }
    if (sample.isInNative) found = this.#childOf(found, NATIVE);
    this.#nodes.set(sample, found);
    return found;
  }

  #childOf(parent, callFrame) {
    const { functionName, url, lineNumber, columnNumber } = callFrame;
    const key = `${functionName} ${url}:${lineNumber}:${columnNumber}`;
    const siblings = parent?.children ?? this.#roots;
    if (!siblings.has(key)) {
      siblings.set(key, { callFrame, parent, children: new Map(), positionTicks: [] });
    }
    return siblings.get(key);
  }

  // The outermost function of the program, or the outermost of all.
  outermostOf(sample) {
    let own;
    let outermost;
    for (let node = this.nodeOf(sample); node !== undefined; node = node.parent) {
      outermost = node;
      if (isOwn(node.callFrame)) own = node;
    }
    return own ?? outermost;
  }
}

function frameOf(site) {
  const url = site.getScriptNameOrSourceURL() ?? '';
  const name = site.getFunctionName() ?? '';
  const functionName = isOfV8(site) && name !== '' ? `${site.getTypeName() ?? ''}.${name}` : name;
  const lineNumber = (site.getEnclosingLineNumber?.() ?? site.getLineNumber() ?? 0) - 1;
  const columnNumber = (site.getEnclosingColumnNumber?.() ?? 0) - 1;
  return { functionName, scriptId: url, url, lineNumber, columnNumber };
}

const isOfV8 = (site) => !site.getScriptNameOrSourceURL();

const isAtBegin = (site) => !isOfV8(site) &&
  site.getLineNumber() === site.getEnclosingLineNumber?.() &&
  site.getColumnNumber() === site.getEnclosingColumnNumber();

// The samples up to a time. A sample stands for the time around it.
class SampledStacks extends Stacks {
  #samples;
  #tree = new Tree();

  constructor(samples) {
    super((start, end, each) => {
      const inside = this.#in(start, end);
      boundsOf(inside, start, end).forEach(([from, until], i) => {
        each(this.#tree.nodeOf(inside[i]), from, until);
      });
    }, true);
    this.#samples = samples;
  }

  functionsIn(start, end) {
    const requests = new Set(this.#in(start, end).map(({ request }) => request));
    requests.delete(undefined);
    const all = super.functionsIn(start, end);
    return requests.size === 0 ? all : { ...all, requests: [...requests] };
  }

  #in(start, end) {
    return this.#samples.filter(({ time }) => time >= start && time <= end);
  }

  // Whether two successive samples can be of one callback.
  #areOfOne(one, other) {
    return one.id === other.id && this.#tree.outermostOf(one) === this.#tree.outermostOf(other);
  }

  // The callbacks that ran in a period of the loop, of which it has slept for so long: before all
  // of them, unless the samples say that it was behind them.
  callbacksIn(start, end, slept) {
    const inside = this.#in(start, end);
    const isBefore = inside.length > 0 && inside.at(-1).time <= end - slept &&
      inside[0].time < start + slept;
    const from = isBefore ? start : start + slept;
    const until = isBefore ? end - slept : end;
    const groups = [];
    for (const sample of inside) {
      const last = groups.at(-1)?.at(-1);
      if (last !== undefined && this.#areOfOne(last, sample)) groups.at(-1).push(sample);
      else groups.push([sample]);
    }
    if (groups.length === 0) return [{ start: from, end: until }];
    return groups.map((group, i) => ({
      id: group[0].id,
      start: i === 0 ? Math.min(from, group[0].time) : middle(groups[i - 1].at(-1), group[0]),
      end: i === groups.length - 1
        ? Math.max(until, group.at(-1).time)
        : middle(group.at(-1), groups[i + 1][0]),
    }));
  }
}

const middle = (one, other) => (one.time + other.time) / 2;

function boundsOf(samples, start, end) {
  return samples.map((sample, i) => [
    i === 0 ? start : middle(samples[i - 1], sample),
    i === samples.length - 1 ? end : middle(sample, samples[i + 1]),
  ]);
}

class StackSamples {
  #samples = [];
  #readRequest;
  #onEnd;
  // The ids of the callbacks whose ends are awaited.
  #awaited = new Set();
  #blocks = readBlocks((sites, ...times) => {
    const read = new Sample(this.#readRequest?.(), sites, ...times);
    if (this.#samples.push(read) > MOST) this.#samples.splice(0, MOST / 2);
    this.#awaitEnd(read.id, sites);
  });

  // Requests are in the results if `readRequest()` is there. `onEnd(id)` is called in the context
  // of the code that a sample has interrupted, in a tick behind it.
  constructor(readRequest, onEnd) {
    this.#readRequest = readRequest;
    this.#onEnd = onEnd;
  }

  // A tick that comes while Node changes the queue of ticks would end all ticks of the thread. The
  // queue of microtasks is V8's. Behind a callback, ticks come first, and behind a microtask,
  // microtasks.
  #awaitEnd(id, sites) {
    if (this.#awaited.has(id)) return;
    this.#awaited.add(id);
    const onEnd = () => {
      this.#awaited.delete(id);
      this.#onEnd(id);
    };
    if (isInTicks(sites)) queueMicrotask(onEnd);
    else nextTick(onEnd);
  }

  // A turn of the loop has ended, at this time with this idle time.
  turned(now, idle) {
    this.#blocks.turned(now / NANOSECONDS_PER_MILLISECOND, idle / NANOSECONDS_PER_MILLISECOND);
  }

  // The stacks since the last call.
  take() {
    const samples = this.#samples;
    this.#samples = [];
    return new SampledStacks(samples);
  }

  // The same, which the next call returns as well.
  peek() {
    return new SampledStacks(this.#samples);
  }

  clear() {
    if (this.#samples.length > 0) this.#samples = [];
  }

  stop() {
    this.#blocks.stop();
    return this.take();
  }
}

module.exports = { Sample, SampledStacks, StackSamples, canSample };
