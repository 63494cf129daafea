'use strict';

// The priorities as what watches counts them: by index, from 0 for background work.

// By index.
const PRIORITIES = ['background', 'user-visible', 'user-blocking'];

// How many numbers the binding gives for each rank.
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

// The ranks of a context that have tasks or continuations: the index of the priority, how many are
// queued, the id of the oldest, and when that one was queued if the binding knows; else 0.
function queuedRanks({ countQueued }) {
  const numbers = countQueued();
  const ranks = [];
  // Rank 0 has the idle callbacks.
  for (let rank = 1; NUMBERS_OF_RANK * rank < numbers.length; rank++) {
    const [count, oldest, queuedAt] = numbers.subarray(NUMBERS_OF_RANK * rank);
    if (count > 0) ranks.push({ index: indexOfRank(rank), count, oldest, queuedAt });
  }
  return ranks;
}

module.exports = { PRIORITIES, indexOf, indexOfRank, isContinuationRank, queuedRanks };
