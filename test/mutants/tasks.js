'use strict';

// Mutants of lib/tasks/ and lib/signals/.

const { mutantsOf } = require('./mutants-of.js');

const FLOW = 'lib/tasks/flow.js';
const TASK = 'lib/tasks/scheduler-task.js';
const RUN = 'lib/tasks/shared-run.js';
const DRAIN = 'lib/tasks/drain.js';
const ABORT_SOURCE = 'lib/signals/abort-source.js';
const REQUEST = 'lib/tasks/request.js';

const DRAIN_OF_REQUESTS = ['test/integrations/http/admission-drain.test.js'];
const KEYS_OF_REQUESTS = ['test/integrations/http/admission-keys.test.js'];
const RUNNING_REQUESTS = ['test/integrations/http/admission-running.test.js'];

module.exports = [
  ...mutantsOf(FLOW, { tests: KEYS_OF_REQUESTS }, [
    ['a flow stays with its old key when none of its entries waits',
      'if (this.#isOver || this.#isMoving) this.#close();', 'if (this.#isOver) this.#close();',
      'moves a request to another key'],
    ['an idle flow of a signal never ends', 'unended.add(this);', '', 'ends it in a long one'],
    ['a flow of a signal that has just become idle ends at once',
      'else this.#idleSince = intervals;', '', 'in short pauses'],
  ]),
  ...mutantsOf(FLOW, { tests: ['test/watch/keys.test.js'] }, [
    ['a flow that ends stays open',
      'this.#hasFinished = hasFinished;\n    if (this.#queues === 0) this.#close();',
      'this.#hasFinished = hasFinished;'],
  ]),
  ...mutantsOf(FLOW, { tests: ['test/integrations/react/react.test.js'] }, [
    ['the time of a section is charged in milliseconds', 'time * 1e6', 'time',
      'by the thread time of their fairness keys'],
  ]),
  ...mutantsOf(FLOW, { tests: ['test/integrations/react/react-requests.test.js'] }, [
    ['the time of a flow decays while its sections wait',
      'this.joined();\n    this.#home.waitOutside(this.#number, true);', 'this.joined();'],
  ]),
  ...mutantsOf('lib/loop/dynamic-queue.js', { tests: ['test/tasks/fairness.test.js'] }, [
    ['a signal does not move the continuations of a flow',
      'this.#continuations?.setPriority(priority);', '', 'with their continuations'],
  ]),
  ...mutantsOf(FLOW, { tests: ['test/tasks/fairness.test.js'] }, [
    ['a run has a share of its own beside the key that began it', 'isOfNone ? null : this.#name',
      'null', 'the run of a shared task'],
  ]),
  ...mutantsOf('lib/tasks/running-tasks.js', { tests: ['test/tasks/fairness.test.js'] }, [
    ['a task of a key that never settles keeps its flow open when it is collected',
      'this.#flow?.end(false);', '', 'are forgotten when they are collected'],
  ]),
  ...mutantsOf('lib/tasks/running-tasks.js', { tests: ['test/tasks/on-idle.test.js'] }, [
    ['a running task with `ref: false` counts for onIdle()',
      'if (task.isReferenced) own.unsettled++;', 'own.unsettled++;', 'ref: false'],
  ]),
  ...mutantsOf(TASK, { tests: ['test/signals/abort.test.js'] }, [
    ['the abort of an async callback, which its task has reported, is unhandled',
      'if (isPromise(result)) ignoreAbort(result, state);', '',
      'inside an async callback handles the rejection'],
    ['every error behind an abort inside of the callback is swallowed',
      'if (!isAbortOfState(state, error)) throw error;', '',
      'inside an async callback handles the rejection'],
  ]),
  ...mutantsOf(TASK, { tests: ['test/tasks/on-idle.test.js'] }, [
    ['a task can be aborted when its callback has returned',
      'from here on, aborting does nothing.\n    state?.abortSource?.delete(this);',
      'from here on, aborting does nothing.', 'also if aborted then'],
  ]),
  ...mutantsOf(TASK, { tests: ['test/tasks/fairness.test.js', 'test/watch/keys.test.js'] }, [
    ['a task with a key that was aborted teaches the levels as if it had finished',
      "flow.end(outcome !== 'aborted');", 'flow.end(true);', 'levels'],
  ]),
  ...mutantsOf(RUN, { tests: ['test/integrations/testing/test-scheduler.test.js'] }, [
    ['a shared task does not heed the bounds of those that wait for it',
      'if (state?.maxWait !== undefined) this.#boundBy(state.maxWait);', '',
      'with the bounds on the wait'],
  ]),
  ...mutantsOf(RUN, { tests: [...RUNNING_REQUESTS, 'test/tasks/shared-task.test.js'] }, [
    ['the waits of a shared task do not count for the request that awaits it',
      'if (request?.isPatient) (this.#patient ??= new Set()).add(request);', ''],
  ]),
  ...mutantsOf(RUN, { tests: ['test/tasks/shared-task-programs.test.js'] }, [
    ['a join that leaves a run still waits for it',
      'if (wait.asker !== undefined) this.#deleteAsker(wait.asker);', ''],
  ]),
  ...mutantsOf('lib/signals/highest-priority.js', {
    tests: ['test/tasks/shared-task-programs.test.js'],
  }, [
    ['a signal that has joined twice is no source any more when one join has left',
      'if (--entry.count === 0) {', 'if (--entry.count <= 1) {'],
  ]),
  ...mutantsOf('lib/signals/task-signal.js', { tests: ['test/tasks/should-yield.test.js'] }, [
    ['a change of priority does not drop the last result of shouldYield()', '    forgetAdvice();',
      '', 'a queued task was raised'],
  ]),
  ...mutantsOf('lib/signals/dependents.js', { tests: ['test/tasks/gc.test.js'] }, [
    ['a signal with a listener is collected while its source lives', 'this.#kept.add(signal);', '',
      'a dependent signal with a listener'],
  ]),
  ...mutantsOf(ABORT_SOURCE, {
    tests: ['test/signals/abort.test.js', 'test/signals/abort-source.test.js'],
  }, [
    ['an abort behind a dispatched event is missed when a task leaves', 'this.#isDeaf = true;', '',
      'dispatched'],
  ]),
  ...mutantsOf(ABORT_SOURCE, { tests: ['test/signals/abort-source.test.js'] }, [
    ['the listener on a signal stays when nothing waits for the abort',
      'if (this.isEmpty && !this.keepsListening) this.#unlisten();', ''],
  ]),
  ...mutantsOf(DRAIN, { tests: ['test/tasks/drain.test.js'] }, [
    ['a drain that has ended leaves its timer behind',
      'this.#waiter.end();\n      this.#stopTimer();', 'this.#waiter.end();',
      'holds the process until'],
    ['drain() does not reject what is lowered while it waits',
      'if (rank < this.#rank) this.#rejectRefused();', '', 'lowered too far meanwhile'],
    ['drain() waits for delayed tasks', 'return isDelayed ? this.#tooLate : undefined;',
      'return undefined;', 'by a model'],
  ]),
  ...mutantsOf(DRAIN, { tests: DRAIN_OF_REQUESTS }, [
    ['drain() rejects a shared task that a started request awaits',
      'const isAwaited = state?.run?.isOfRequest === true;', 'const isAwaited = false;',
      'all tasks of a request'],
    ['drain() does not count a request that it refuses on arrival',
      'if (!isPosted) this.#counts.aborted[priority]++;', '', 'refuses the others'],
    ['drain() looks at all that waits whenever a request ends',
      'if (this.#areRunsSpared || this.#spared.has(request)) this.#rejectRefused();',
      'this.#rejectRefused();', 'looks at what waits only'],
  ]),
  ...mutantsOf('lib/tasks/idle-callbacks.js', { tests: ['test/loop/random-programs.test.js'] }, [
    ['an idle callback that has run still has its timeout',
      'if (request.late !== undefined) remove(request.late);', ''],
  ]),
  ...mutantsOf('lib/tasks/idle-callbacks.js', { tests: ['test/tasks/drain.test.js'] }, [
    ['idle callbacks that are requested during a drain wait',
      'if (observers.drain !== undefined) return nextHandle();', '', 'cancels idle callbacks'],
  ]),
  ...mutantsOf('lib/tasks/on-idle.js', { tests: ['test/tasks/idle-scope.test.js'] }, [
    ['onIdle() does not lift the hold of background work',
      'if (own.waiters.size === 0) tell(TELL.LIFT_HOLD, 1);', '', 'lift the hold'],
  ]),
  ...mutantsOf('lib/tasks/pieces.js', { tests: ['test/tasks/pieces.test.js'] }, [
    ['pieces() hears of an old abort when return() has ended it',
      '    if (this.#isDone) return this.#finish();\n', '', 'answers calls in their order'],
    ['an abort rejects all waiting calls of pieces() in one turn',
      'if (this.#rejection === undefined || !shouldYieldAs(this, undefined)) return;', 'return;',
      'gives way between calls that an abort rejects'],
  ]),
  ...mutantsOf('lib/tasks/on-idle.js', { tests: ['test/tasks/on-idle.test.js'] }, [
    ['onIdle() checks before the callback of the last continuation has ended',
      'if (isCheckStale) scheduleCheck();\n    else check();', 'check();',
      'each of several continuations'],
  ]),
  ...mutantsOf('lib/tasks/intakes.js', { tests: DRAIN_OF_REQUESTS }, [
    ['requests that wait for their first turn do not count for onIdle()', 'count += size;',
      'count += 0 * size;', 'waits for requests that wait without a task'],
  ]),
  ...mutantsOf(REQUEST, { tests: DRAIN_OF_REQUESTS }, [
    ['drain() keeps what a request has left behind when its response has ended',
      'observers.drain?.ended(this);', '', 'left behind'],
  ]),
  ...mutantsOf(RUN, { tests: ['test/tasks/shared-task.test.js'] }, [
    ['a join() looks at all runs that wait for the code that joins',
      'if (this !== asker && this.#asked === 0) return;', '', 'of which there may be many'],
    ['a run that has joined others counts as one that waits for none', 'run.#asked++;', '',
      'is told by an error'],
  ]),
  ...mutantsOf(REQUEST, { tests: RUNNING_REQUESTS }, [
    ['a delay counts as a wait of its request', 'const timer = delay > 0 ? setTimer(',
      'const timer = delay > Infinity ? setTimer(', 'nor a wait\\(\\) before its end'],
    ['the wait of a request counts again with each look at it', 'this.#since = time;', '',
      'does not count a wait twice'],
    ['no wait counts once one of several entries of a request has started',
      'if (--this.#entries > 0 || !this.isPatient) return;',
      '--this.#entries;\n    if (!this.isPatient) return;', 'when another one has left'],
  ]),
  ...mutantsOf('lib/tasks/should-yield.js', { tests: ['test/tasks/quantum.test.js'] }, [
    ['the next listener of a poll phase goes on with the turn of the one before',
      'lastAdvice.chain = NOBODY;', '', 'begins anew with the next listener'],
  ]),
  ...mutantsOf('lib/tasks/should-yield.js', { tests: ['test/tasks/should-yield.test.js'] }, [
    ['a result of shouldYield() is used thirty times', 'const MAX_REPEATS = 3;',
      'const MAX_REPEATS = 30;', 'at the fourth call at the latest'],
  ]),
  ...mutantsOf('lib/tasks/scheduling-state.js', {
    tests: ['test/tasks/scheduling-state.test.js'],
  }, [
    ['the state of a task is that of the timers which it starts',
      'if (ofRequest === state || isOfTask()) return state;', 'return state;'],
  ]),
  ...mutantsOf('lib/tasks/scheduling-state.js', { tests: ['test/tasks/max-wait.test.js'] }, [
    ['a task with a key loses the bound of its wait', '{ owner, request, client, maxWait }',
      '{ owner, request, client }', 'with a key'],
  ]),
];
