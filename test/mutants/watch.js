'use strict';

// Mutants of lib/watch/.

const TRACE = 'lib/watch/trace.js';

const TESTS = ['test/watch/trace.test.js'];

module.exports = [
  {
    name: 'the slices of a lane touch each other',
    file: TRACE,
    find: 'Math.max(0, end - start - 1)',
    replace: 'Math.max(0, end - start + 1)',
    tests: TESTS,
    grep: 'overlap',
  },
  {
    name: 'the wait of the loop counts as a part of its turn',
    file: TRACE,
    find: 'waited > 0 ? this.#quietFrom + waited : this.#turnedAt',
    replace: 'this.#turnedAt',
    tests: TESTS,
    grep: 'within a turn of the loop|turns of the loop',
  },
  {
    name: 'the file does not show the step under way',
    file: TRACE,
    find: 'this.#file.putUnfinished = () => this.#putUnfinished();',
    replace: '',
    tests: TESTS,
    grep: 'was killed',
  },
  {
    name: 'the file shows a step as under way that has ended',
    file: TRACE,
    find: 'if (this.#showsStep && now >= this.#usedUntil) this.flush();',
    replace: '',
    tests: TESTS,
    grep: 'was killed',
  },
  {
    name: 'the start of a step is not written',
    file: TRACE,
    find: 'this.#shown.clear();\n    this.flush();',
    replace: 'this.#shown.clear();',
    tests: TESTS,
    grep: 'was killed',
  },
  {
    name: 'a trace shows no short delay',
    file: TRACE,
    find: 'if (delay > 0) {',
    replace: 'if (delay > 1) {',
    tests: TESTS,
    grep: 'has with each step',
  },
  {
    name: 'a trace shows waits in milliseconds',
    file: TRACE,
    find: '(startedAt - queuedAt) * 1e3',
    replace: 'startedAt - queuedAt',
    tests: TESTS,
    grep: 'has with each step',
  },
  {
    name: 'a stopped trace lacks the step under way',
    file: TRACE,
    find: 'this.#watch.endFor(this);',
    replace: '',
    tests: TESTS,
    grep: 'the step in which it is stopped',
  },
  {
    name: 'a join that has left has an arrow',
    file: 'lib/tasks/shared-run.js',
    find: 'if (watched !== undefined) this.joins',
    replace: 'if (watched === undefined) this.joins',
    tests: ['test/watch/shared-tasks.test.js'],
    grep: 'a join\\(\\) that has left',
  },
  {
    name: 'a step counts with the time before the monitor was enabled',
    file: 'lib/watch/statistics.js',
    find: 'startedAt > resumedAt ? startedAt : resumedAt',
    replace: 'startedAt',
    tests: ['test/watch/task-monitor-begin.test.js'],
  },
  {
    name: 'the held time of several contexts adds up',
    file: 'lib/watch/held-time.js',
    find: 'times[reason] = Math.max(0, ...grown);',
    replace: 'times[reason] = grown.reduce((sum, each) => sum + each, 0);',
    tests: ['test/watch/task-monitor-held.test.js'],
  },
  {
    name: 'slow callbacks of older slices are forgotten in the window',
    file: 'lib/watch/longest.js',
    find: 'this.#slices.slice(-SLICES)',
    replace: 'this.#slices.slice(-1)',
    tests: ['test/watch/longest.test.js'],
  },
];
