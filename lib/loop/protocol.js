'use strict';

// The numbers that JavaScript and Rust share: limits, ranks, marks and the layout of the shared
// words. `core/src/protocol.rs` has the same numbers and explains each; the binding compares both
// when it starts.

// Copies of the package with equal protocols are one scheduler. Every change of the public exports,
// of their arguments or results, or of the numbers below raises this number; see
// docs/reference.md.
const PROTOCOL = 12;

// The questions that a binding answers, in the order of `Question` in `core/src/protocol.rs`.
const QUESTIONS = [
  'WAITING', 'QUEUED', 'REFUSED', 'HELD', 'TASK_TIME', 'TIME_TO_NEXT', 'RANK_OF_STARTED', 'KEYS',
  'LEVELS', 'LEVEL_OF_FLOW', 'FORGET_KEY',
];

// The changes of which JavaScript tells a binding, in the order of `Entry::of_change()` there.
const CHANGES = [
  'POST_ON_TERMS', 'MOVE_QUEUE', 'WAIT_OUTSIDE', 'CHARGE_OUTSIDE', 'SET_WEIGHT', 'OPEN_PART',
  'JOIN_PART', 'SET_TIME_SLICE', 'SET_MAX_WAIT', 'PAUSE', 'SET_IDLE', 'LIFT_HOLD',
];

const numbered = (names) => Object.fromEntries(names.map((name, number) => [name, number]));

const NUMBERS = {
  __proto__: null,
  RANKS: 7,
  RANK_BITS: 3,
  MAX_TASKS: 2 ** 30,
  MAX_QUEUES: 2 ** 28,
  MAX_FLOWS: 2 ** 28,
  NO_TASK: 2 ** 30,
  UNREFERENCED: 2 ** 31,
  REMOVED: 0xffffffff,
  OF_FLOW: 7,
  CHANGE: 2 ** 31,
  OPERANDS: 3,
  CHANGES: CHANGES.length,
  BIND_QUEUE: 2 ** 29,
  CLOSE_FLOW: 2 ** 30,
  NOTIFY_RANK: 0,
  COUNT: 1,
  END_OF_CHECK: 2,
  CODE_RANK: 3,
  OTHER_CODE: 8,
  CODE_FLOW: 4,
  TIME_LOW: 5,
  TIME_HIGH: 6,
  BEGUN: 7,
  ENTRIES: 8,
  CAPACITY: 255,
  QUESTIONS: QUESTIONS.length,
};

// The rank of the tasks of each priority. Continuations are one rank above their tasks, idle
// callbacks below all others.
const RANK_OF = { 'background': 1, 'user-visible': 3, 'user-blocking': 5 };
const IDLE_RANK = 0;

module.exports = {
  ...NUMBERS,
  ASK: numbered(QUESTIONS),
  IDLE_RANK,
  NUMBERS: Object.values(NUMBERS),
  PROTOCOL,
  RANK_OF,
  TELL: numbered(CHANGES),
  // In place of a destination.
  wordOfChange: (change) => NUMBERS.CHANGE + change * 2 ** NUMBERS.RANK_BITS + NUMBERS.OF_FLOW,
};
