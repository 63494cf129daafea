'use strict';

// Warns once of background work that only grows: a server that is never idle and posts a background
// task for each request takes memory until it has none left.

const { now } = require('./intrinsics.js');
const { RANK_OF } = require('./protocol.js');

// So many background tasks, of which the oldest has waited for so many ms.
const BACKLOG = 100_000;
const LONG = 10_000;

// How many posts of background tasks go by between two looks at the clock.
const POSTS = 1000;

// Counted are the tasks of these ranks. Each takes three numbers: see countQueued().
const RANKS = [RANK_OF.background, RANK_OF.background + 1];

let posts = 0;
// A background task that was the newest one, as a weak reference, and when that was. While it
// waits, the oldest one has waited since.
let marked;
let markedAt = -Infinity;

// To be called with each post while at least so many tasks wait. `count` counts the queued tasks,
// `tasks` is the table of those that wait, `task` and `rank` are those of the post, and `clock`
// reads the time in ms. Returns whether the warning has been emitted.
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
      `${LONG / 1000} s, as this thread is never idle. Post fewer, abort those that are not ` +
      'needed any more, or give them a maxWait.',
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_BACKGROUND_BACKLOG' },
  );
  return true;
}

module.exports = { BACKLOG, isBacklogFound };
