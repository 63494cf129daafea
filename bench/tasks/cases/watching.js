'use strict';

// Measures what it costs to watch tasks: each row is a way to watch, in a process of its own. A
// trace is written to a file in the temporary folder. It is emptied before each batch: on a slow
// disk the kernel lets writers wait, which does not count.
//
// Floors are rows in which nobody watches, and each task does what that way of watching cannot do
// without. A monitor reads the clock. The channels read it twice, carry the task along by an
// AsyncLocalStorage, and make an object when the task starts. A trace reads it once, makes the
// object at the post, and writes the bytes of its events, which are copied as they are.

const { AsyncLocalStorage } = require('node:async_hooks');
const { subscribe, tracingChannel } = require('node:diagnostics_channel');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { load } = require('../contenders.js');
const { OURS, above } = require('../goals.js');
const { timePerTask, yieldSerially } = require('../batches.js');

const BATCH = 1e4;

// What watches is compiled later than what runs tasks: a server watches for days.
const TIMES_AS_MANY = 10;

const nothing = () => {};

// How each row begins to watch.
const WATCHING = {
  [OURS]: nothing,
  'a monitor on': () => require('../../..').monitorTasks().enable(),
  'a subscriber of posted': () => subscribe('uv-scheduler:task:posted', nothing),
  'an empty subscriber of the tracing channel': () => {
    tracingChannel('uv-scheduler:task').subscribe({
      start: nothing,
      end: nothing,
      asyncStart: nothing,
      asyncEnd: nothing,
      error: nothing,
    });
  },
  'a trace': () => require('../../..').traceTasks(traceFile()),
};

// What a trace writes for a task, and in which pieces.
const TRACED_BYTES = 300;
const CHUNK = 2 ** 16;

// How each floor posts a task.
const FLOORS = {
  'the floor of a monitor': () => (post, task) => {
    readClock();
    return post(task);
  },
  'the floor of the channels': () => {
    const storage = new AsyncLocalStorage();
    let callback;
    const wrapped = () => {
      storage.enterWith(wrapped);
      last.message = emptyMessage();
      const result = callback();
      readClock();
      return result;
    };
    return (post, task) => {
      callback = task;
      readClock();
      return post(wrapped);
    };
  },
  'the floor of a trace': () => {
    const storage = new AsyncLocalStorage();
    const file = fs.openSync(traceFile(), 'w');
    const event = new Uint8Array(TRACED_BYTES).fill(0x20);
    const chunk = new Uint8Array(CHUNK);
    // Of the tasks that wait, which start in order.
    const messages = new Array(BATCH);
    let posted = 0;
    let started = 0;
    let length = 0;
    let callback;
    const write = () => {
      if (length + TRACED_BYTES > CHUNK) {
        fs.writeSync(file, chunk, 0, length);
        length = 0;
      }
      chunk.set(event, length);
      length += TRACED_BYTES;
    };
    const wrapped = () => {
      storage.enterWith(messages[started++ % BATCH]);
      const result = callback();
      write();
      return result;
    };
    return (post, task) => {
      callback = task;
      readClock();
      messages[posted++ % BATCH] = emptyMessage();
      return post(wrapped);
    };
  },
};

// What was made last is kept, so that nothing is optimized away.
const last = { message: undefined, time: 0 };

// The fastest way to read the clock. The time is used.
function readClock() {
  const [seconds, nanoseconds] = process.hrtime();
  last.time = seconds * 1e9 + nanoseconds;
}

// With as many members as the channels' messages have.
function emptyMessage() {
  return {
    id: 1,
    parentId: undefined,
    priority: 'user-visible',
    isContinuation: false,
    label: '',
    delay: 0,
    postedAt: last.time / 1e6,
    queuedAt: last.time / 1e6,
    startedAt: undefined,
    endedAt: undefined,
    outcome: undefined,
    result: undefined,
    error: undefined,
  };
}

// The goals are for tasks with nothing in them, so they are the whole cost of watching.
const GOALS = [
  above(OURS, 150, '≤ 150 ns more', 'a monitor on'),
  above(OURS, 300, '≤ 300 ns more', 'an empty subscriber of the tracing channel'),
  above(OURS, 1000, '≤ 1 µs more', 'a trace'),
];

// The trace of this process, if it writes one.
let traced;

function traceFile() {
  const file = path.join(os.tmpdir(), `uv-scheduler-bench-${process.pid}.trace.json`);
  traced = fs.openSync(file, 'w');
  // Nobody has to see it: what is open stays until it is closed.
  setImmediate(() => fs.rm(file, { force: true }, nothing));
  return file;
}

function emptyTraceFile() {
  if (traced !== undefined) fs.ftruncateSync(traced);
}

let isWatching = false;

function watch(row) {
  if (isWatching) return;
  isWatching = true;
  WATCHING[row]?.();
}

function watchingCases({ atLeast, yields }) {
  const ways = Object.keys(WATCHING);
  const common = { goals: GOALS, processes: 'each row' };
  return [
    {
      ...common,
      rows: [...ways, ...Object.keys(FLOORS)],
      name: 'watching-tasks',
      title: 'batch of 10^4 tasks while they are watched',
      unit: 'ns/task',
      async measure(row) {
        const contender = await load(OURS);
        watch(row);
        const floor = FLOORS[row]?.();
        const post = (task) => contender.post(task);
        const prepare = () => {
          emptyTraceFile();
          return floor === undefined ? post : (task) => floor(post, task);
        };
        return { value: await timePerTask(BATCH, TIMES_AS_MANY * atLeast, prepare) };
      },
    },
    {
      ...common,
      rows: ways,
      name: 'watching-yields',
      title: `${yields} serial yields inside a task while they are watched`,
      unit: 'ns/yield',
      async measure(row) {
        const contender = await load(OURS);
        watch(row);
        return { value: await contender.inside(() => yieldSerially(contender, yields)) };
      },
    },
  ];
}

module.exports = { watchingCases };
