'use strict';

// pieces(): the items of an iterable as an async iterable that yields between two items when other
// work should run.
//
// An async generator would take twice as long for each item. So next() takes the item of a sync
// source itself, unless the call must wait for a yield(), for a promise, or for an earlier call.
// Waiting calls, and all calls for an async source, are queued and run one after the other.
//
// An abort ends a call that waits for the source. While no call waits for a promise of the source,
// there is no listener: the next call then asks the signal.

const { isPromise } = require('node:util').types;
const { abortReason, isAborted } = require('../signals/aborted.js');
const { lastAdvice } = require('../loop/advice.js');
const { Promise, nextTick, then } = require('../loop/platform.js');
const { continueAs, toContinuationPriority } = require('./scheduler.js');
const { boundedState, ofChain, stateOfFlow, stateOfPieces } = require('./scheduling-state.js');
const { forgetAdvice, shouldYieldAs } = require('./should-yield.js');
const webidl = require('../webidl/conversions.js');

const OPERATION = "'pieces'";
const ITERABLE = new webidl.Parameter(OPERATION, 'the argument iterable');
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const RESULT = new webidl.Parameter(OPERATION, 'the result of next() of the source');
const CLOSED = new webidl.Parameter(OPERATION, 'the result of return() of the source');
const ITERATOR = new webidl.Parameter(OPERATION, 'the iterator of the argument iterable');

const MEMBERS = { priority: toContinuationPriority, signal: webidl.toAbortSignal };

const DONE = { __proto__: null, value: undefined, done: true };

const AsyncIteratorPrototype =
  Object.getPrototypeOf(Object.getPrototypeOf(async function* () {}.prototype));

const arrayValues = Array.prototype[Symbol.iterator];
const arrayNext = [][Symbol.iterator]().next;

// Captured, as a program may replace these.
const fulfilled = Promise.resolve.bind(Promise);
const rejected = Promise.reject.bind(Promise);
const { apply } = Reflect;

function pieces(iterable, options = undefined) {
  const source = toSource(iterable);
  const { priority, signal } = webidl.readOptions(options, OPTIONS, MEMBERS);
  return new Pieces(source, stateOf(signal, priority));
}

function toSource(iterable) {
  const isIterable = typeof iterable === 'string' || webidl.isObject(iterable);
  const asynchronous = isIterable ? iterable[Symbol.asyncIterator] ?? undefined : undefined;
  const method = asynchronous ?? (isIterable ? iterable[Symbol.iterator] : undefined);
  if (typeof method !== 'function') {
    throw ITERABLE.error('an iterable or an async iterable', iterable);
  }
  return { iterable, method, isSync: asynchronous === undefined };
}

// Options that are not given are inherited from the chain. A TaskSignal includes its priority.
function stateOf(signal, priority) {
  const inherited = ofChain();
  if (signal === undefined && priority === undefined) return inherited;
  const state = stateOfFlow(stateOfPieces(signal, priority, inherited), inherited?.flow);
  const owner = inherited?.owner;
  const ofOwner = owner === undefined ? state : owner.of(state);
  return boundedState(ofOwner, inherited?.maxWait, owner);
}

class Pieces {
  #source;
  #state;
  #signal;
  // The iterator of the source and its method `next`, from the first call of next() on.
  #iterator = undefined;
  #next = undefined;
  #isSync;
  #isDone = false;
  // The error of all further calls of next(), in an object, after an abort.
  #rejection = undefined;
  // An array is read by its index, which is twice as fast as its iterator.
  #items = undefined;
  #index = 0;
  // The calls that wait for earlier ones. Undefined while no call is under way.
  #line = undefined;
  // Whether the consumer cannot have used the last item yet. Calls of next() until then are queued,
  // for example when a list of sections is read at once.
  #isUnused = false;
  #setUsed = () => {
    this.#isUnused = false;
  };

  constructor(source, state) {
    this.#source = source;
    this.#isSync = source.isSync;
    this.#state = state;
    this.#signal = state?.abortSource?.signal;
  }

  next() {
    try {
      // Short enough for V8 to inline it into the loop.
      if (lastAdvice.code === this && lastAdvice.repeats > 0 && this.#isEasy) {
        if (this.#index < this.#items.length) {
          lastAdvice.repeats--;
          const value = this.#items[this.#index++];
          const pending = pendingOf(value);
          if (pending === undefined) return fulfilled({ value, done: false });
          return this.#giveLater(pending, false);
        }
        return fulfilled(this.#finish());
      }
      return this.#askAndTake();
    } catch (error) {
      this.#finish();
      return rejected(error);
    }
  }

  // Whether the next item of an array can be taken without a check, if the last result may be
  // reused.
  get #isEasy() {
    return this.#items !== undefined && !lastAdvice.shouldYield && this.#line === undefined &&
      !this.#isUnused && (this.#signal === undefined || !isAborted(this.#signal));
  }

  #askAndTake() {
    const mustWait = this.#line !== undefined || this.#isUnused;
    if (!this.#isSync || mustWait) return this.#enqueue(() => this.#takeLater());
    if (this.#isAborted()) this.#abort();
    if (this.#mustYield()) return this.#enqueue(() => this.#takeAfterYield());
    const { done, value } = this.#take();
    const pending = pendingOf(value);
    if (pending !== undefined) return this.#giveLater(pending, done);
    if (done) return fulfilled(this.#finish(value));
    // This reaction runs before the reactions of the returned promise.
    this.#isUnused = true;
    then.call(fulfilled(), this.#setUsed);
    return fulfilled({ value, done: false });
  }

  #giveLater(pending, isLast) {
    return this.#enqueue(() => this.#settle(pending, isLast));
  }

  return(value) {
    return this.#enqueue(async () => {
      if (!this.#isDone) await this.#close();
      return { value: await value, done: true };
    });
  }

  throw(error) {
    return this.#enqueue(async () => {
      if (!this.#isDone) await this.#closeQuietly();
      throw error;
    });
  }

  async [Symbol.asyncDispose]() {
    await this.return();
  }

  // Whether every call is rejected from now on. After the end of the source, an abort does nothing.
  #isAborted() {
    if (this.#rejection !== undefined) return true;
    return this.#signal !== undefined && !this.#isDone && isAborted(this.#signal);
  }

  // Whether other work should run before the next item. The first item is taken immediately.
  #mustYield() {
    return this.#iterator !== undefined && shouldYieldAs(this, this.#state);
  }

  // Calls next() of the source: returns its result, a promise if the source is async.
  #take() {
    if (this.#isDone) return DONE;
    if (this.#iterator === undefined) this.#open();
    if (this.#items !== undefined) return this.#takeOfArray();
    const result = this.#next.call(this.#iterator);
    if (!webidl.isObject(result)) throw RESULT.error('an object', result);
    return result;
  }

  #takeOfArray() {
    if (this.#index >= this.#items.length) return DONE;
    return { value: this.#items[this.#index++], done: false };
  }

  #open() {
    const { iterable, method } = this.#source;
    const iterator = method.call(iterable);
    if (!webidl.isObject(iterator)) throw ITERATOR.error('an object', iterator);
    this.#next = iterator.next;
    this.#iterator = iterator;
    // With the original iterator, reading by the index is equivalent.
    const isArray = Array.isArray(iterable) && method === arrayValues && this.#next === arrayNext;
    if (isArray) this.#items = iterable;
  }

  #takeLater() {
    if (this.#isAborted()) return this.#abort();
    if (this.#isDone) return this.#finish();
    return this.#mustYield() ? this.#takeAfterYield() : this.#takeAndWait();
  }

  async #takeAfterYield() {
    try {
      await continueAs(this.#state);
    } catch (error) {
      // An abort, or a drain() that rejects what still waits.
      throw this.#end(error);
    }
    // The signal may have been aborted between the continuation and this reaction.
    return this.#isAborted() ? this.#abort() : this.#takeAndWait();
  }

  async #takeAndWait() {
    let done;
    let value;
    try {
      let result = this.#take();
      if (!this.#isSync) {
        result = this.#signal === undefined ? await result : (await this.#waitFor(result)).value;
        if (!webidl.isObject(result)) throw RESULT.error('an object', result);
      }
      ({ done, value } = result);
    } catch (error) {
      this.#finish();
      throw error;
    }
    // The signal was aborted during next() of the source, or by a getter: the item is dropped.
    if (this.#isAborted()) return this.#abort();
    if (this.#isSync) return this.#settle(value, done);
    return done ? this.#finish(value) : { value, done: false };
  }

  #abort() {
    if (this.#rejection === undefined) this.#end(abortReason(this.#signal));
    throw this.#rejection.error;
  }

  // Ends the iteration for all calls, with one error. Does not wait for the source, which may be
  // silent for ever.
  #end(error) {
    this.#rejection ??= { error };
    this.#closeQuietly();
    return this.#rejection.error;
  }

  // The value of a sync source is awaited, as in any `for await`. If that fails before the end of
  // the source, the source is closed.
  async #settle(value, isLast) {
    if (isLast) this.#finish();
    let item;
    try {
      item = this.#signal === undefined ? await value : (await this.#waitFor(value)).value;
    } catch (error) {
      await this.#closeQuietly();
      throw error;
    }
    if (this.#isAborted()) return this.#abort();
    return { value: item, done: Boolean(isLast) };
  }

  // Waits for a value of the source, or for an abort. The result contains the value: to resolve a
  // promise with the value itself would read its `then` once more.
  #waitFor(value) {
    return new Promise((resolve, reject) => {
      const { abortSource } = this.#state;
      const abort = (reason) => reject(this.#end(reason));
      const step = { previous: undefined, next: undefined, abort };
      const give = (settled) => {
        abortSource.delete(step);
        resolve({ __proto__: null, value: settled });
      };
      const fail = (error) => {
        abortSource.delete(step);
        reject(error);
      };
      then.call(fulfilled(value), give, fail);
      abortSource.add(step);
    });
  }

  #finish(value = undefined) {
    this.#isDone = true;
    this.#source = undefined;
    this.#iterator = undefined;
    this.#items = undefined;
    this.#next = undefined;
    forgetAdvice(this);
    return { value, done: true };
  }

  // Closes the source, if it was opened, as leaving a `for await` does.
  async #close() {
    const iterator = this.#iterator;
    this.#finish();
    const method = iterator?.return ?? undefined;
    if (method === undefined) return;
    const returned = method.call(iterator);
    const result = this.#isSync ? returned : await returned;
    if (!webidl.isObject(result)) throw CLOSED.error('an object', result);
    if (this.#isSync) await result.value;
  }

  // The same if the iteration already has an error: errors of the source are ignored.
  async #closeQuietly() {
    const iterator = this.#iterator;
    this.#finish();
    try {
      const returned = iterator?.return?.();
      if (!this.#isSync) await returned;
    } catch {
      // The first error is reported instead.
    }
  }

  #enqueue(operation) {
    return new Promise((resolve, reject) => {
      const call = { operation, resolve, reject };
      if (this.#line !== undefined) {
        this.#line.push(call);
      } else {
        this.#line = [call];
        this.#workOff();
      }
    });
  }

  async #workOff() {
    while (this.#line.length > 0) {
      if (this.#isUnused) await this.#untilUsed();
      const { operation, resolve, reject } = this.#line.shift();
      try {
        resolve(await operation());
      } catch (error) {
        reject(error);
      }
      this.#isUnused = this.#line.length > 0;
    }
    this.#line = undefined;
  }

  // A tick runs after all reactions and the microtasks that they queue. So the next check includes
  // the time of the last item, or that of an error: after an abort, no call checks again.
  async #untilUsed() {
    await new Promise(nextTick);
    this.#isUnused = false;
    if (this.#rejection === undefined || !shouldYieldAs(this, undefined)) return;
    try {
      await continueAs(undefined);
    } catch {
      // Given up by drain(). The calls are rejected immediately.
    }
  }
}

Object.setPrototypeOf(Pieces.prototype, AsyncIteratorPrototype);

// The thenable that `await` would wait for, or undefined if the value can be used immediately. Like
// `await`, reads `then` once, and never of a promise.
function pendingOf(value) {
  if (!webidl.isObject(value)) return undefined;
  if (isPromise(value)) return value;
  try {
    const then = value.then;
    if (typeof then !== 'function') return undefined;
    return { then: (resolve, reject) => apply(then, value, [resolve, reject]) };
  } catch (error) {
    return rejected(error);
  }
}

module.exports = { pieces };
