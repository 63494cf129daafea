'use strict';

// Mutants of lib/watch/.

const TRACE = 'lib/watch/trace.js';

const CONTEXT = 'lib/watch/context-watch.js';

const TESTS = ['test/watch/trace.test.js'];
const CHANNELS = ['test/watch/channels.test.js'];
const MONITOR = ['test/watch/task-monitor.test.js'];

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
  {
    name: 'a task that fails has no message of its error',
    file: CONTEXT,
    find: "if (message.outcome === 'failed') watch.publish(channels.error, message);",
    replace: '',
    tests: CHANNELS,
  },
  {
    name: 'the message of a task that fails lacks the error',
    file: CONTEXT,
    find: 'else message.error = value;',
    replace: '',
    tests: CHANNELS,
  },
  {
    name: 'a message keeps the priority of the post',
    file: CONTEXT,
    find: 'message.priority = PRIORITIES[priority];',
    replace: '',
    tests: CHANNELS,
  },
  {
    name: 'a long label is not shortened',
    file: 'lib/watch/message.js',
    find: 'shortened(nameOf(source))',
    replace: 'nameOf(source)',
    tests: CHANNELS,
  },
  {
    name: 'a monitor counts no continuation as completed',
    file: CONTEXT,
    find: 'if (isContinuation) all[i].completed[priority]++;',
    replace: '',
    tests: MONITOR,
    grep: 'a TaskMonitor counts',
  },
  {
    name: 'a monitor counts no waiting continuation as aborted',
    file: CONTEXT,
    find: 'for (const statistics of this.#watch.statistics) statistics.aborted[priority]++;',
    replace: '',
    tests: MONITOR,
    grep: 'a TaskMonitor counts',
  },
  {
    name: 'a continuation behind an await has no label',
    file: CONTEXT,
    find: 'return this.#context.currentTask()?.label;',
    replace: 'return undefined;',
    tests: ['test/watch/labels-behind-awaits.test.js'],
  },
  {
    name: 'who waits for a shared task does not wait for the tasks that it posts',
    file: CONTEXT,
    find: 'if (run !== undefined) entry.postedBy = run;',
    replace: '',
    tests: ['test/watch/shared-tasks.test.js'],
    grep: 'names who awaits',
  },
  {
    name: 'register.js replaces a global that exists',
    file: 'register.js',
    find: 'if (name in globalThis) return;',
    replace: '',
    tests: ['test/loading/register.test.js'],
  },
  {
    name: 'the report lists work of start-up by its time alone',
    file: 'integrations/report/report.js',
    find: 'this.#isStartUp(one) - this.#isStartUp(other) || other.time - one.time',
    replace: 'other.time - one.time',
    tests: ['test/watch/report-flag.test.js'],
    grep: 'before the program listened last',
  },
  {
    name: 'the shares of blocked time lack samples that were read for a line',
    file: 'integrations/report/turns.js',
    find: '(profile, now) => this.#addAll(profile, now)',
    replace: '() => {}',
    tests: ['test/watch/report-flag.test.js'],
    grep: 'of a program that goes on',
  },
];
