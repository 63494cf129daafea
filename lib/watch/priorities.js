'use strict';

// The priorities as what watches counts them: by index, from 0 for background work.

// By index.
const PRIORITIES = ['background', 'user-visible', 'user-blocking'];

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
// queued, and the id of the oldest.
function queuedRanks({ countQueued }) {
  const numbers = countQueued();
  const ranks = [];
  // Rank 0 has the idle callbacks.
  for (let rank = 1; 2 * rank < numbers.length; rank++) {
    const count = numbers[2 * rank];
    if (count > 0) ranks.push({ index: indexOfRank(rank), count, oldest: numbers[2 * rank + 1] });
  }
  return ranks;
}

module.exports = { PRIORITIES, indexOf, indexOfRank, isContinuationRank, queuedRanks };
