'use strict';

// Keeps the times of a monitor from falling between two reads. In a run of the loop inside of a
// task, and by rounding, a little of what was read as one state can turn out to be another's. A
// counter that falls counts as one that began again from 0.

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
