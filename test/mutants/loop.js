'use strict';

// Mutants of lib/loop/, the seam of JavaScript and Rust.

const { mutantsOf } = require('./mutants-of.js');

const EVENT_LOOP = 'lib/loop/event-loop.js';
const QUEUE = 'lib/loop/dynamic-queue.js';
const FLOWS = 'lib/loop/flows.js';

module.exports = [
  ...mutantsOf(EVENT_LOOP, { tests: ['test/loop/event-loop.test.js'] }, [
    ['a change is not flushed', '      flush(own);\n    },', '    },',
      'also if nothing else is posted'],
    ['a flush does not schedule the checkpoint',
      'if (own.calls.flush() !== 0) own.checkpoint.schedule();', 'own.calls.flush();',
      'behind all of the callback that posts them'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/tasks/max-wait.test.js'] }, [
    ['a post with a bound is not flushed', 'let mustFlush = true;', 'let mustFlush = false;',
      'lets a user-blocking task run as soon as the callback has ended'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/loop/exceptions.test.js'] }, [
    ['a task that cannot be posted counts as waiting for ever',
      '      waiting--;\n    }\n    throw error;', '    }\n    throw error;', 'cannot be posted'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/loading/undocumented.test.js'] }, [
    ['a task starts before the ticks of the one before it', 'runTicksInCallback() && (id', '(id',
      'is as it is'],
  ]),
  ...mutantsOf('lib/loop/checkpoint.js', { tests: ['test/loop/nested.test.js'] }, [
    ['an older chain of checkpoints goes on beside a newer one',
      'if (this.#chain !== startTask) return;', '',
      'the microtasks of a task behind a nested loop'],
  ]),
  ...mutantsOf(QUEUE, { tests: ['test/loop/random-programs.test.js'] }, [
    ['an empty queue of a signal keeps its id, which another one gets',
      'giveQueueBack(this.#id);\n    this.#id = NOT_WAITING;', 'giveQueueBack(this.#id);'],
  ]),
  ...mutantsOf(QUEUE, { tests: ['test/tasks/gc.test.js'] }, [
    ['an empty queue of a signal never gives its id back', 'giveQueueBack(this.#id);', '',
      'the ids of the queues of collected signals are reused'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/tasks/should-yield.test.js'] }, [
    ['a post does not drop the last result of shouldYield()', 'lastAdvice.repeats = 0;', '',
      'a task at once that the code itself has posted'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/tasks/on-idle.test.js'] }, [
    ['an unreferenced task counts for onIdle()', 'if (!isReferenced) uncounted.add(id);', '',
      'ref: false'],
    ['the id of an unreferenced task stays uncounted for the next task that gets it',
      'if (uncounted.size > 0) uncounted.delete(id);', ''],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/loop/exit.test.js'] }, [
    ['the binding is not told that a task keeps no process alive',
      'isReferenced ? id : id + UNREFERENCED', 'id', 'does not keep the process alive, nor repeat'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/watch/channels-subscribers.test.js'] }, [
    ['who watches does not hear of a removed task',
      'if (observers.watch !== undefined) observers.watch.removed(task, id);', ''],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/signals/abort.test.js'] }, [
    ['the binding does not hear of a removed task', 'shared.remove(id);', '',
      'ten thousand waiting tasks'],
  ]),
  ...mutantsOf(EVENT_LOOP, { tests: ['test/signals/abort-source.test.js'] }, [
    ['a thing is tidied once only', 'thing.isUnused = false;', '', 'is removed from the signal'],
  ]),
  ...mutantsOf('lib/loop/backlog.js', { tests: ['test/loop/backlog.test.js'] }, [
    ['the warning of a backlog counts other ranks', 'numbers[3 * each]', 'numbers[each]'],
  ]),
  ...mutantsOf('lib/loop/checkpoint.js', { tests: ['test/loop/event-loop.test.js'] }, [
    ['a task starts before the microtasks of the callback that posts it',
      'nextTick(tickAfter, callback);', 'nextTick(callback);',
      'behind all of the callback that posts them'],
  ]),
  ...mutantsOf('lib/loop/shared.js', { tests: ['test/signals/abort.test.js'] }, [
    ['the shared words take one entry too many', 'words[COUNT] >= CAPACITY',
      'words[COUNT] > CAPACITY', 'ten thousand waiting tasks'],
  ]),
  ...mutantsOf('lib/loop/shared.js', { tests: ['test/loop/event-loop.test.js'] }, [
    ['a task of exactly the notify rank is not flushed', 'rank >= this.words[NOTIFY_RANK]',
      'rank > this.words[NOTIFY_RANK]', 'also if background work waits'],
  ]),
  ...mutantsOf(FLOWS, {
    tests: ['test/tasks/fairness.test.js', 'test/watch/keys.test.js'],
  }, [
    ['a flow that was given up counts as finished', 'hasFinished ? CLOSE_FLOW + 1 : CLOSE_FLOW',
      'CLOSE_FLOW + 1', 'levels'],
  ]),
  ...mutantsOf(FLOWS, { tests: ['test/tasks/fairness.test.js'] }, [
    ['a change takes the last flow for the one before it', 'number === undefined ? 0 : number + 1',
      'number === undefined ? 0 : number', 'the run of a shared task'],
    ['keys that are not needed any more are never removed',
      'if (this.#keys.size >= FIRST_SWEEP) this.#sweep();', '', 'ten thousand'],
    ['a key is removed although the binding still needs it',
      'if (!this.#forget(number)) continue;',
      'this.#forget(number);', 'however many others come'],
  ]),
  ...mutantsOf('lib/loop/time.js', { tests: ['test/tasks/shared-task.test.js'] }, [
    ['a timer of the package has a time that Node treats as 1 ms',
      'Math.min(milliseconds, LONGEST_TIMER)', 'milliseconds', 'a bound of months'],
  ]),
  ...mutantsOf('lib/loop/ring.js', { tests: ['test/signals/abort.test.js'] }, [
    ['an entry that has left its ring looks as if it were in one', '  entry.next = undefined;', ''],
  ]),
];
