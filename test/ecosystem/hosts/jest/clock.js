'use strict';

// jest's fake timers.

/* global jest */

module.exports = {
  install: () => jest.useFakeTimers(),
  advance: (milliseconds) => jest.advanceTimersByTime(milliseconds),
  uninstall: () => jest.useRealTimers(),
};
