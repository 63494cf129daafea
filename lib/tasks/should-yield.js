'use strict';

// shouldYield(): whether code that runs for long should give way now.
//
// Code that asks often gets its last answer again without the binding being asked. Its async id
// tells which code that is. Promise reactions can have none, from Node 24 on always: then those of
// one scheduling state count as the same code, until a task starts or a callback or a check phase
// ends.
//
// While only equals wait, the answer depends on how long the turn of the code has lasted. A turn
// begins with a callback, or with the first question of other code in it. The binding sees where
// tasks begin and end. JavaScript reports that other code asks: code with another scheduling state.
// Async ids do not count for that, as in some versions every reaction has its own, nor does the
// object that stands for code: sections of a page that are read in turn would begin a new turn with
// each question. In a callback that is no task, what asks behind a tick is other code, too.

const { executionAsyncId } = require('node:async_hooks');
const { NOBODY, lastAdvice } = require('../loop/advice.js');
const { advise, fixedQueue, setCode, tidyLater } = require('../loop/event-loop.js');
const { nextTick } = require('../loop/intrinsics.js');
const { currentPriorityOf, numberOfStored, ofChain, stored } = require('./scheduling-state.js');

// The bits of what the binding answers.
const SHOULD_YIELD = 1;
const MAY_REPEAT = 2;
const HAS_UNSEEN_END = 4;

// So often an answer is repeated at most.
const MAX_REPEATS = 3;

// The same for code that is known by an object. It begins with fewer, and gets more while it keeps
// asking often.
const MAX_REPEATS_OF_OBJECT = 15;

// In place of the number of a flow.
const NO_FLOW = -1;

// The async id of promise reactions that have none.
const NO_ID = 0;

// At the end of a check phase no answer counts for reactions any more, nor keeps a state or the
// object that stands for code alive.
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
  return ask(isSame);
}

// The same for code that is known by an object of its own, and whose scheduling state is given.
function shouldYieldAs(code, state) {
  const isSame = code === lastAdvice.code;
  if (isSame && lastAdvice.repeats > 0) return repeat();
  if (!isSame) {
    begin(code, state);
    tidyLater(forgotten);
  }
  const { granted } = lastAdvice;
  const answer = ask(isSame);
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

// Other code asks from now on. For its turn it counts as other code if its chain is another one.
function begin(code, state) {
  const chain = numberOfStored();
  const flow = state?.flow === undefined ? NO_FLOW : state.flow.number;
  setCode(fixedQueue(currentPriorityOf(state), true), chain !== lastAdvice.chain, flow);
  lastAdvice.chain = chain;
  lastAdvice.code = code;
  lastAdvice.granted = 0;
}

function ask(isSame) {
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

// Unless a task has started since, the callback in which code has asked has ended.
function endCallback() {
  if (!lastAdvice.awaitsEnd) return;
  lastAdvice.awaitsEnd = false;
  lastAdvice.chain = NOBODY;
  lastAdvice.code = NOBODY;
}

module.exports = { forgetAdvice, shouldYield, shouldYieldAs };
