'use strict';

// shouldYield(): whether long-running code should yield now.
//
// If code calls this often, its last result is reused without a call of the binding. Code is
// identified by its async id. Promise reactions can lack an async id, from Node 24 on always: then
// the reactions of one scheduling state count as the same code, until a task starts or a callback
// or a check phase ends.
//
// While only continuations of the same priority wait, the result depends on the length of the
// code's stint. A stint begins with a callback, or with the first call from other code in the same
// callback. The binding sees where tasks begin and end, and JavaScript reports calls from other
// code: code with another scheduling state. Async ids do not count here, as in some versions every
// reaction has its own; nor do objects that stand for code, as sections of a page that are read
// alternately would begin a new stint with each call. Outside of tasks, calls after a tick also
// come from other code.

const { executionAsyncId } = require('node:async_hooks');
const { NOBODY, lastAdvice } = require('../loop/advice.js');
const { advise, fixedQueue, setCode, tidyLater } = require('../loop/event-loop.js');
const { observers } = require('../loop/observers.js');
const { nextTick } = require('../loop/platform.js');
const { currentPriorityOf, numberOfStored, ofChain, stored } = require('./scheduling-state.js');

// The bits of the binding's result.
const SHOULD_YIELD = 1;
const MAY_REPEAT = 2;
const HAS_UNSEEN_END = 4;

// The maximum reuses of one result.
const MAX_REPEATS = 3;

// The same for code that is identified by an object. The number rises to this maximum while such
// code calls often.
const MAX_REPEATS_OF_OBJECT = 15;

// Stands for no flow.
const NO_FLOW = -1;

// The async id of promise reactions that have none.
const NO_ID = 0;

// At the end of a check phase, drops the last result, so that it does not apply to later reactions
// and does not keep a state or an object alive.
const forgotten = {
  isUnused: false,
  tidy() {
    lastAdvice.code = NOBODY;
    lastAdvice.state = undefined;
  },
};

function shouldYield() {
  const code = executionAsyncId();
  const isSame = code === lastAdvice.code && (code !== NO_ID || stored() === lastAdvice.state);
  if (isSame && lastAdvice.repeats > 0) return repeat();
  if (!isSame) {
    begin(code, ofChain());
    if (code === NO_ID) {
      lastAdvice.state = stored();
      tidyLater(forgotten);
    }
  }
  return ask(isSame, undefined);
}

// The same for code that is identified by an object, with the given scheduling state. Unless
// `isPoint`, the caller charges the thread's time itself; see ledger.js.
function shouldYieldAs(code, state, isPoint = true) {
  const isSame = code === lastAdvice.code;
  if (isSame && lastAdvice.repeats > 0) return repeat();
  if (!isSame) {
    begin(code, state);
    tidyLater(forgotten);
  }
  const { granted } = lastAdvice;
  const answer = ask(isSame, state, isPoint);
  const mayRepeat = lastAdvice.repeats > 0;
  lastAdvice.granted = mayRepeat ? Math.min(2 * granted + 1, MAX_REPEATS_OF_OBJECT) : 0;
  lastAdvice.repeats = lastAdvice.granted;
  return answer;
}

function forgetAdvice(code) {
  if (lastAdvice.code === code) forgotten.tidy();
}

function repeat() {
  lastAdvice.repeats--;
  return lastAdvice.shouldYield;
}

// Other code calls from now on. A new stint begins if that code has another scheduling state.
function begin(code, state) {
  const chain = numberOfStored();
  const flow = state?.flow === undefined ? NO_FLOW : state.flow.number;
  setCode(fixedQueue(currentPriorityOf(state), true), chain !== lastAdvice.chain, flow);
  lastAdvice.chain = chain;
  lastAdvice.code = code;
  lastAdvice.granted = 0;
}

function ask(isSame, state, isPoint = true) {
  if (isPoint && observers.ledger !== undefined) observers.ledger.point(state);
  const advice = advise();
  lastAdvice.shouldYield = (advice & SHOULD_YIELD) !== 0;
  // The binding does not know whether the same code has asked before.
  lastAdvice.repeats = isSame && (advice & MAY_REPEAT) !== 0 ? MAX_REPEATS : 0;
  if ((advice & HAS_UNSEEN_END) !== 0 && !lastAdvice.awaitsEnd) {
    lastAdvice.awaitsEnd = true;
    nextTick(endCallback);
  }
  return lastAdvice.shouldYield;
}

// If no task has started since, the callback of the last call has ended.
function endCallback() {
  if (!lastAdvice.awaitsEnd) return;
  lastAdvice.awaitsEnd = false;
  lastAdvice.chain = NOBODY;
  lastAdvice.code = NOBODY;
}

module.exports = { forgetAdvice, shouldYield, shouldYieldAs };
