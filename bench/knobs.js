'use strict';

// Measures how the settings of configure() affect other work of the process. The rows of these
// cases are settings of uv-scheduler, first the default; each sample has a process of its own.

const { median } = require('simple-statistics');

// The duration of a task of the flood.
const TASK_MS = 1;

const FLOOD_MS = 500;

const FLOOD_TASKS = 20;

const STARVED_MS = 1000;

// The interval between background tasks.
const BACKGROUND_EVERY_MS = 10;

const TIME_SLICES = new Map([
  ['timeSlice 5', 5],
  ['timeSlice 1', 1],
  ['timeSlice 20', 20],
]);

const MAX_WAITS = new Map([
  ['maxWait Infinity', Infinity],
  ['maxWait 20', 20],
  ['maxWait 100', 100],
]);

function busy(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

// Runs an immediate that sets itself again until `end`, and passes the wait of each to
// `onImmediate`. Resolves when the last one has run.
function immediates(end, onImmediate) {
  return new Promise((resolve) => {
    let set = performance.now();
    const immediate = () => {
      const now = performance.now();
      onImmediate(now - set);
      set = now;
      if (now < end) setImmediate(immediate);
      else resolve();
    };
    setImmediate(immediate);
  });
}

// Keeps at least one task waiting all the time.
async function flood(row) {
  const { configure, scheduler } = require('..');
  configure({ timeSlice: TIME_SLICES.get(row) });
  const end = performance.now() + FLOOD_MS;
  let ran = 0;
  const task = () => {
    busy(TASK_MS);
    ran++;
    return performance.now() < end ? scheduler.postTask(task) : undefined;
  };
  const waits = [];
  const tasks = Array.from({ length: FLOOD_TASKS }, () => scheduler.postTask(task));
  await immediates(end, (wait) => waits.push(wait));
  await Promise.all(tasks);
  return { value: median(waits), details: { longest: Math.max(...waits), tasks: ran } };
}

// Immediates take all the time, and background tasks arrive at a steady rate.
async function starve(row) {
  const { configure, scheduler } = require('..');
  configure({ maxWait: { background: MAX_WAITS.get(row) } });
  const end = performance.now() + STARVED_MS;
  const waits = [];
  const posted = [];
  const post = () => {
    const time = performance.now();
    const task = () => waits.push(performance.now() - time);
    posted.push(scheduler.postTask(task, { priority: 'background' }));
  };
  let ran = 0;
  post();
  const interval = setInterval(post, BACKGROUND_EVERY_MS);
  await immediates(end, () => ran++);
  clearInterval(interval);
  await Promise.all(posted);
  if (waits.length !== posted.length) throw new Error('a background task was lost');
  return { value: median(waits), details: { longest: Math.max(...waits), immediates: ran } };
}

function knobCases() {
  return [
    {
      name: 'knobs-time-slice',
      title: `wait of an immediate beside a flood of user-visible tasks of ${TASK_MS} ms`,
      unit: 'ms',
      details: { longest: 'ms', tasks: '' },
      rows: [...TIME_SLICES.keys()],
      measure: flood,
    },
    {
      name: 'knobs-max-wait',
      title: 'wait of a background task beside an immediate that sets itself again for '
        + `${STARVED_MS / 1000} s`,
      unit: 'ms',
      details: { longest: 'ms', immediates: '' },
      rows: [...MAX_WAITS.keys()],
      measure: starve,
    },
  ].map((each) => ({ ...each, goals: [], processes: 'each sample', maxRounds: 3 }));
}

module.exports = { knobCases };
