'use strict';

// The binding of a process whose scheduler is turned off by UV_SCHEDULER_DISABLE=all, in place of
// the addon. Each task is an immediate of its own, so tasks start in the order of posting. No code
// should yield, and no work is bounded, held or charged. Priorities are known for drain() and for
// monitors, and have no effect.

const { clearImmediate } = require('node:timers');
const { afterCallback } = require('../loop/checkpoint.js');
const { observers } = require('../loop/observers.js');
const { foreignName } = require('../loop/platform.js');
const {
  ASK,
  CHANGE,
  COUNT,
  END_OF_CHECK,
  ENTRIES,
  NO_TASK,
  OF_FLOW,
  OPERANDS,
  RANKS,
  RANK_BITS,
  REMOVED,
  TELL,
  TIME_HIGH,
  TIME_LOW,
  UNREFERENCED,
  wordOfChange,
} = require('../loop/protocol.js');
const { clearTimer, readNanoseconds, setImmediate, setTimer } = require('../loop/time.js');

const NANOSECONDS_PER_MILLISECOND = 1e6;

// The result of each question whether to yield: no, and code that asks again need not call. See
// tasks/should-yield.js.
const NO = 2;

// Bun does not let the loop sleep while an immediate waits, not even an unreferenced one. So there
// a timer of so many ms ends a turn.
const TURN_OF_BUN = 10;

const RANK_MASK = 2 ** RANK_BITS - 1;

// The words of the changes that have an effect.
const MOVED = wordOfChange(TELL.MOVE_QUEUE);
const POSTED_ON_TERMS = wordOfChange(TELL.POST_ON_TERMS);

function loadBinding() {
  let calls;
  let words;

  // The waiting entries by id: the queued ones, in their order, and the delayed ones.
  const queued = new Map();
  const delayed = new Map();

  // The current ranks of the queues whose priority can change.
  const ranks = new Map();

  // The number of entries of the shared words that were taken in.
  let taken = 0;

  let rankOfStarted = 0;
  let isEndAwaited = false;
  let isWakeUpDue = false;

  const rankOf = ({ queue }) => (queue < RANKS ? queue : ranks.get(queue));

  function readTime() {
    const time = readNanoseconds();
    words[TIME_LOW] = time % 2 ** 32;
    words[TIME_HIGH] = Math.floor(time / 2 ** 32);
    return time;
  }

  function toEntry(marked, destination) {
    const isReferenced = marked < UNREFERENCED;
    const queue = destination >>> RANK_BITS;
    if (queue >= RANKS) ranks.set(queue, destination & RANK_MASK);
    const id = isReferenced ? marked : marked - UNREFERENCED;
    return { id, queue, isReferenced, handle: undefined, deadline: 0 };
  }

  function enqueue(entry) {
    // If the stack overflows here, the immediate finds no entry.
    entry.handle = setImmediate(run, entry);
    queued.set(entry.id, entry);
    if (entry.isReferenced) return;
    entry.handle.unref();
    wakeUp();
  }

  // An unreferenced immediate of Node waits while the loop sleeps.
  function wakeUp() {
    if (isWakeUpDue) return;
    isWakeUpDue = true;
    setTimer(() => (isWakeUpDue = false), 1).unref();
  }

  function delay(entry) {
    delayed.set(entry.id, entry);
    const time = Math.max(0, entry.deadline - readTime()) / NANOSECONDS_PER_MILLISECOND;
    // Timers count whole milliseconds, and so fire up to one of them too early.
    entry.handle = setTimer(() => onTimer(entry), Math.ceil(time) + 1);
    if (!entry.isReferenced) entry.handle.unref();
  }

  // A delay can be longer than the longest timer.
  function onTimer(entry) {
    if (readTime() < entry.deadline) {
      delay(entry);
      return;
    }
    delayed.delete(entry.id);
    enqueue(entry);
  }

  function remove(id) {
    const entry = queued.get(id);
    if (entry !== undefined) {
      clearImmediate(entry.handle);
    } else {
      clearTimer(delayed.get(id)?.handle);
      delayed.delete(id);
    }
    leave(id);
  }

  function leave(id) {
    queued.delete(id);
    if (ranks.size > 0 && queued.size + delayed.size === 0) ranks.clear();
  }

  // Takes in what was posted, removed and moved. Other changes, and flows, have no effect. If the
  // stack overflows, the next call goes on with the same entry.
  function takeIn() {
    while (taken < words[COUNT]) {
      const what = words[ENTRIES + 2 * taken + 1];
      const id = words[ENTRIES + 2 * taken];
      const isOther = (what & RANK_MASK) === OF_FLOW;
      if (what === REMOVED) {
        remove(id);
      } else if (!isOther) {
        enqueue(toEntry(id, what));
      } else if (what >= CHANGE) {
        change(what, id, ENTRIES / 2 + taken + 1);
        taken += OPERANDS;
      }
      taken++;
    }
    words[COUNT] = 0;
    taken = 0;
  }

  function change(what, id, place) {
    const [first, milliseconds] = new Float64Array(words.buffer, 8 * place, OPERANDS);
    if (what === MOVED) ranks.set(id, first);
    else if (what === POSTED_ON_TERMS) post(toEntry(id, first), milliseconds);
  }

  // A bound has no effect.
  function post(entry, milliseconds) {
    if (milliseconds > 0) {
      entry.deadline = readTime() + milliseconds * NANOSECONDS_PER_MILLISECOND;
      delay(entry);
    } else {
      enqueue(entry);
    }
  }

  function run(entry) {
    takeIn();
    // Removed in a nested run of the loop, while this immediate was due already.
    if (queued.get(entry.id) !== entry) return;
    rankOfStarted = rankOf(entry);
    leave(entry.id);
    if (observers.watch !== undefined) readTime();
    try {
      calls.runTask(entry.id);
    } finally {
      if (observers.watch !== undefined) afterCallback(endStep);
    }
  }

  function endStep() {
    readTime();
    observers.watch?.endRound();
  }

  // A turn ends in an immediate that neither keeps the process alive nor wakes the loop.
  function expectEndOfCheck() {
    if (isEndAwaited) return;
    isEndAwaited = true;
    const end = foreignName === 'Bun' ? setTimer(endTurn, TURN_OF_BUN) : setImmediate(endTurn);
    end.unref();
  }

  function endTurn() {
    isEndAwaited = false;
    words[END_OF_CHECK] = 0;
    calls.endCheck(NO_TASK);
  }

  const answers = {
    [ASK.WAITING]() {
      const later = [...delayed.values()].sort((one, other) => one.deadline - other.deadline);
      return [
        ...[...queued.values()].flatMap((entry) => [entry.id, rankOf(entry)]),
        ...later.flatMap((entry) => [entry.id, rankOf(entry) + 2 ** RANK_BITS]),
      ];
    },
    [ASK.QUEUED]() {
      const numbers = new Float64Array(3 * RANKS);
      for (const entry of queued.values()) {
        const place = 3 * rankOf(entry);
        if (numbers[place]++ === 0) numbers[place + 1] = entry.id;
      }
      return numbers;
    },
    [ASK.HELD]: () => [0, 0, 0],
    [ASK.TASK_TIME]: () => 0,
    [ASK.TIME_TO_NEXT]: () => Infinity,
    [ASK.RANK_OF_STARTED]: () => rankOfStarted,
    [ASK.LEVEL_OF_FLOW]: () => 0,
    [ASK.FORGET_KEY]: () => 1,
  };

  function start(added, shared) {
    calls = added;
    words = shared;
    Object.assign(calls, {
      flush() {
        takeIn();
        if (words[END_OF_CHECK] !== 0) expectEndOfCheck();
        // No task waits for the end of the callback.
        return 0;
      },
      nextAtCheckpoint: () => NO_TASK,
      shouldYield: () => NO,
      readTime,
    });
    return 0;
  }

  return {
    start,
    ask(environment, question) {
      takeIn();
      return answers[question]?.() ?? [];
    },
  };
}

module.exports = { loadBinding };
