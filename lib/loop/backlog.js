'use strict';

// Warns once if background work only grows: a server that is never idle and posts a background task
// for each request runs out of memory.

const { RANK_OF } = require('./protocol.js');
const { now } = require('./time.js');

// Warns above this number of background tasks, if the oldest has waited for this many ms.
const BACKLOG = 100_000;
const LONG = 10_000;

// The number of posts of background tasks between two readings of the clock.
const POSTS = 1000;

// The ranks of the counted tasks. Each has three numbers: the count, the id of the oldest task, and
// the time in nanoseconds when that task was queued, or 0 if the binding does not know it.
const RANKS = [RANK_OF.background, RANK_OF.background + 1];

let posts = 0;
// The newest background task at the time `markedAt`, as a weak reference. While it waits, the
// oldest task has waited at least since then.
let marked;
let markedAt = -Infinity;

// Called with each post while at least BACKLOG tasks wait. `count` counts the queued tasks, `tasks`
// is the table of waiting tasks, `task` and `rank` belong to the post, and `clock` reads the time
// in ms. Returns whether the warning has been emitted.
function isBacklogFound(count, tasks, task, rank, clock = now) {
  if (!RANKS.includes(rank) || posts++ % POSTS > 0) return false;
  const time = clock();
  if (time - markedAt < LONG) return false;
  const before = marked?.deref();
  marked = new WeakRef(task);
  markedAt = time;
  if (before === undefined || !tasks.includes(before)) return false;
  const numbers = count();
  const total = RANKS.reduce((sum, each) => sum + numbers[3 * each], 0);
  if (total <= BACKLOG) return false;
  marked = undefined;
  process.emitWarning(
    `${total} background tasks are queued, and the oldest has waited for more than ` +
      `${LONG / 1000} s, as this thread is never idle. Post fewer tasks, abort tasks that are ` +
      'not needed any more, or set their maxWait.',
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_BACKGROUND_BACKLOG' },
  );
  return true;
}

module.exports = { BACKLOG, isBacklogFound };
