'use strict';

// Binds the processes of a benchmark to processors, so that load and servers do not share one, and
// tells what other processes have taken all the same.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');

const canPin = () => spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** The processors of the load and of the servers; null where processes cannot be bound to one. */
function chooseProcessors() {
  const count = os.availableParallelism();
  if (count < 2 || !canPin()) return { load: null, one: null, all: null, count };
  return { load: [0], one: [1], all: Array.from({ length: count }, (_, i) => i), count };
}

/** Returns a program and its arguments that run on the processors. */
function bound(processors, program, args) {
  if (processors === null) return [program, args];
  return ['taskset', ['-c', processors.join(), program, ...args]];
}

/**
 * Milliseconds that this thread has waited for its processor, since the start: other processes had
 * it. Null where the kernel does not tell.
 */
function readWaiting() {
  try {
    const [, waiting] = fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(waiting) / 1e6;
  } catch {
    return null;
  }
}

module.exports = { bound, chooseProcessors, readWaiting };
