'use strict';

// Warns once of background work that only grows: a server that is never idle and posts a background
// task for each request takes memory until it has none left.

const { now } = require('./intrinsics.js');
const { RANK_OF } = require('./protocol.js');

// So many background tasks, of which the oldest has waited for so many ms.
const BACKLOG = 100_000;
const LONG = 10_000;

// How many posts go by between two looks at the clock.
const POSTS = 1000;

// Counted are the tasks of these ranks. Each takes three numbers: see countQueued().
const RANKS = [RANK_OF.background, RANK_OF.background + 1];

let posts = 0;
// The oldest background tasks at the last count, by rank, as weak references, and when that was.
let oldest = [];
let countedAt = -Infinity;

// To be called with each post while at least so many tasks wait. `count` counts the queued tasks,
// `tasks` is their table, and `clock` reads the time in ms. Returns whether the warning has been
// emitted.
function isBacklogFound(count, tasks, clock = now) {
  if (posts++ % POSTS > 0) return false;
  const time = clock();
  if (time - countedAt < LONG) return false;
  const numbers = count();
  const total = RANKS.reduce((sum, rank) => sum + numbers[3 * rank], 0);
  const found = RANKS.map((rank) => {
    return numbers[3 * rank] > 0 ? tasks[numbers[3 * rank + 1]] : undefined;
  });
  const hasWaited = found.some((task, i) => task !== undefined && task === oldest[i]?.deref());
  oldest = found.map((task) => task && new WeakRef(task));
  countedAt = time;
  if (total <= BACKLOG || !hasWaited) return false;
  oldest = [];
  process.emitWarning(
    `${total} background tasks are queued, and the oldest has waited for more than ` +
      `${LONG / 1000} s, as this thread is never idle. Post fewer, abort those that are not ` +
      'needed any more, or give them a maxWait.',
    { type: 'UvSchedulerWarning', code: 'UV_SCHEDULER_BACKGROUND_BACKLOG' },
  );
  return true;
}

module.exports = { BACKLOG, isBacklogFound };
