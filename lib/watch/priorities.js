'use strict';

// The priorities as indices, from 0 for background work, as the watchers of tasks use them.

// The priorities by index.
const PRIORITIES = ['background', 'user-visible', 'user-blocking'];

// The number of numbers in the binding's result for each rank.
const NUMBERS_OF_RANK = 3;

// The index of a priority.
function indexOf(priority) {
  if (priority === 'user-visible') return 1;
  return priority === 'background' ? 0 : 2;
}

// The index of a rank's priority. Idle callbacks count as background work.
function indexOfRank(rank) {
  return rank === 0 ? 0 : rank - 1 >> 1;
}

function isContinuationRank(rank) {
  return rank > 0 && rank % 2 === 0;
}

// The ranks of a context with tasks or continuations: the index of the priority, the number of
// queued entries, the id of the oldest, and the time when the oldest was queued, or 0 if the
// binding does not know it.
function queuedRanks({ countQueued }) {
  const numbers = countQueued();
  const ranks = [];
  // Rank 0 has the idle callbacks.
  for (let rank = 1; NUMBERS_OF_RANK * rank < numbers.length; rank++) {
    const [count, oldest, queuedAt] = numbers.slice(NUMBERS_OF_RANK * rank);
    if (count > 0) ranks.push({ index: indexOfRank(rank), count, oldest, queuedAt });
  }
  return ranks;
}

module.exports = { PRIORITIES, indexOf, indexOfRank, isContinuationRank, queuedRanks };
