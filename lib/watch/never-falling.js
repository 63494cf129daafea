'use strict';

// Keeps the times of a monitor from falling between two reads. In a nested run of the loop, and by
// rounding, a little time that was read as one state can later count as another. But metrics
// systems take a counter that falls for one that was reset to 0.

function neverFalling() {
  const shown = {};
  return (times) => {
    for (const [state, time] of Object.entries(times)) {
      shown[state] = Math.max(shown[state] ?? 0, time);
    }
    return { ...shown };
  };
}

module.exports = { neverFalling };
