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

module.exports = { PRIORITIES, indexOf, indexOfRank, isContinuationRank };
