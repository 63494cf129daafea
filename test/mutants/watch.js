'use strict';

// Mutants of lib/watch/.

const { mutantsOf } = require('./mutants-of.js');

const TRACE = 'lib/watch/trace.js';

const CONTEXT = 'lib/watch/context-watch.js';

const TESTS = ['test/watch/trace.test.js'];
const CHANNELS = ['test/watch/channels.test.js'];

module.exports = [
  ...mutantsOf(TRACE, { tests: TESTS }, [
    ['the slices of a lane touch each other', 'Math.max(0, end - start - 1)',
      'Math.max(0, end - start + 1)', 'overlap'],
    ['the wait of the loop counts as a part of its turn',
      'waited > 0 ? this.#quietFrom + waited : this.#turnedAt', 'this.#turnedAt',
      'within a turn of the loop'],
    ['the file does not show the step under way',
      'this.#file.putUnfinished = () => this.#putUnfinished();', '', 'was killed'],
    ['the file shows a step as under way that has ended',
      'if (this.#showsStep && now >= this.#usedUntil) this.flush();', '', 'was killed'],
    ['the start of a step is not written', 'this.#shown.clear();\n    this.flush();',
      'this.#shown.clear();', 'was killed'],
    ['a trace shows no short delay', 'if (delay > 0) {', 'if (delay > 1) {', 'has with each step'],
    ['a trace shows waits in milliseconds', '(startedAt - queuedAt) * 1e3', 'startedAt - queuedAt',
      'has with each step'],
    ['a stopped trace lacks the step under way', 'this.#watch.endFor(this);', '',
      'the step in which it is stopped'],
  ]),
  ...mutantsOf('lib/tasks/shared-run.js', { tests: ['test/watch/shared-tasks.test.js'] }, [
    ['a join that has left has an arrow', 'if (watched !== undefined) this.joins',
      'if (watched === undefined) this.joins', 'a join\\(\\) that has left'],
  ]),
  ...mutantsOf('lib/watch/statistics.js', { tests: ['test/watch/task-monitor-begin.test.js'] }, [
    ['a step counts with the time before the monitor was enabled',
      'startedAt > resumedAt ? startedAt : resumedAt', 'startedAt'],
  ]),
  ...mutantsOf('lib/watch/held-time.js', { tests: ['test/watch/task-monitor-held.test.js'] }, [
    ['the held time of several contexts adds up', 'Math.max(this.#times[reason], ...grown);',
      'grown.reduce((sum, each) => sum + each, 0);'],
  ]),
  ...mutantsOf('lib/watch/longest.js', { tests: ['test/watch/statistics.test.js'] }, [
    ['slow callbacks of older slices are forgotten in the window', 'this.#slices.slice(-SLICES)',
      'this.#slices.slice(-1)'],
  ]),
  ...mutantsOf(CONTEXT, { tests: CHANNELS }, [
    ['a task that fails has no message of its error',
      "if (message.outcome === 'failed') watch.publish(channels.error, message);", ''],
    ['the message of a task that fails lacks the error', 'else message.error = value;', ''],
  ]),
  ...mutantsOf(CONTEXT, { tests: ['test/loop/random-programs.test.js'] }, [
    ['a message keeps the priority of the post', 'message.priority = PRIORITIES[priority];', ''],
  ]),
  ...mutantsOf('lib/watch/message.js', { tests: CHANNELS }, [
    ['a long label is not shortened', 'shortened(nameOf(source))', 'nameOf(source)'],
  ]),
  ...mutantsOf(CONTEXT, { tests: ['test/watch/task-monitor-begin.test.js'] }, [
    ['a monitor counts no continuation as completed',
      'if (isContinuation) all[i].completed[priority]++;', '', 'shows what waits'],
  ]),
  ...mutantsOf(CONTEXT, { tests: ['test/watch/task-monitor.test.js'] }, [
    ['a monitor counts no waiting continuation as aborted',
      'for (const statistics of this.#watch.statistics) statistics.aborted[priority]++;', '',
      'a TaskMonitor counts'],
  ]),
  ...mutantsOf(CONTEXT, { tests: ['test/watch/labels-behind-awaits.test.js'] }, [
    ['a continuation behind an await has no label', 'return this.#context.currentTask()?.label;',
      'return undefined;'],
  ]),
  ...mutantsOf(CONTEXT, { tests: ['test/watch/shared-tasks.test.js'] }, [
    ['who waits for a shared task does not wait for the tasks that it posts',
      'if (run !== undefined) entry.postedBy = run;', '', 'names who awaits'],
  ]),
  ...mutantsOf('lib/watch/sampler.js', { tests: ['test/watch/sampler.test.js'] }, [
    ['the first block of a report is not due for as long as the process has idled',
      'if (addon !== undefined) this.#words[IDLE] = 1;', '', 'idled for long'],
  ]),
  ...mutantsOf('register.js', { tests: ['test/loading/register.test.js'] }, [
    ['register.js replaces a global that exists', 'if (name in globalThis) return;', ''],
  ]),
  ...mutantsOf('integrations/report/report.js', { tests: ['test/watch/report-flag.test.js'] }, [
    ['the report lists work of start-up by its time alone',
      'this.#isStartUp(one) - this.#isStartUp(other) || other.time - one.time',
      'other.time - one.time', 'before the program listened last'],
    ['the file of the report has no places until the program ends',
      'this.#guard(() => this.#writeFile());', '', 'when a signal ends the program'],
  ]),
  ...mutantsOf('integrations/report/report.js', { tests: ['test/watch/report-place.test.js'] }, [
    ['a place has a line in each minute', 'Math.min(2 * this.#apart, MOST_APART)', 'APART',
      'one an hour'],
  ]),
  ...mutantsOf('lib/watch/slow/slow-tasks.js',
    { tests: ['test/integrations/opentelemetry/opentelemetry.test.js'] }, [
      ['a slow task is reported when the span of its request has ended',
        'nextTick(() => this.#tellSoon());', '', 'was blocked: of a task$'],
    ]),
  ...mutantsOf('lib/watch/slow/stack-samples.js', { tests: ['test/watch/slow-history.test.js'] }, [
    ['successive callbacks of one function are one', 'one.id === other.id &&', '',
      'by their async ids'],
    ['the function that comes behind native code has its time', 'waited > LATE &&', 'false &&',
      'only just called'],
  ]),
];
