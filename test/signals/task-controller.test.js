'use strict';

// TaskController: its signal, what setPriority() does to waiting tasks and continuations, and which
// priority changes are refused. dependents.test.js tests signals that follow others.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, TaskPriorityChangeEvent, scheduler } = require('../..');
const { PRIORITIES, output, settled } = require('../helpers/tasks.js');

const notAllowed = (error) => {
  assert.ok(error instanceof DOMException);
  assert.equal(error.name, 'NotAllowedError');
  return true;
};

describe('TaskController', () => {
  it('is an AbortController whose signal is a TaskSignal', () => {
    const controller = new TaskController();
    assert.ok(controller instanceof AbortController);
    assert.ok(controller.signal instanceof TaskSignal);
    assert.ok(controller.signal instanceof AbortSignal);
    assert.equal(controller.signal, controller.signal);
    assert.notEqual(controller.signal, new TaskController().signal);
  });

  it('has a signal with the given priority', () => {
    for (const priority of PRIORITIES) {
      assert.equal(new TaskController({ priority }).signal.priority, priority);
    }
  });

  it('has a user-visible signal by default', () => {
    for (const init of [undefined, null, {}, { priority: undefined }, () => {}]) {
      assert.equal(new TaskController(init).signal.priority, 'user-visible');
    }
    assert.equal(new TaskController().signal.priority, 'user-visible');
  });

  it('aborts as an AbortController does', () => {
    const controller = new TaskController();
    const { signal } = controller;
    const events = [];
    signal.addEventListener('abort', (event) => events.push(event));
    signal.onabort = (event) => events.push(event);
    assert.equal(signal.aborted, false);
    controller.abort('mine');
    controller.abort('again');
    assert.equal(signal.aborted, true);
    assert.equal(signal.reason, 'mine');
    assert.equal(events.length, 2);
    assert.equal(events[0].target, signal);
    assert.throws(() => signal.throwIfAborted(), (reason) => reason === 'mine');
  });

  it('can be subclassed', () => {
    class Mine extends TaskController {
      constructor() {
        super({ priority: 'background' });
      }
    }
    const mine = new Mine();
    assert.ok(mine instanceof Mine);
    mine.setPriority('user-blocking');
    assert.equal(mine.signal.priority, 'user-blocking');
  });

  it('controls its own signal only, even if a subclass overrides `signal`', () => {
    const foreign = new AbortController();
    class Mine extends TaskController {
      get signal() {
        return foreign.signal;
      }
    }
    const mine = new Mine({ priority: 'background' });
    mine.setPriority('user-blocking');
    assert.equal(Object.getPrototypeOf(foreign.signal), AbortSignal.prototype);
    assert.throws(() => Reflect.get(TaskSignal.prototype, 'priority', foreign.signal), TypeError);
    const own = Reflect.get(AbortController.prototype, 'signal', mine);
    assert.equal(own.priority, 'user-blocking');
  });

  describe('setPriority', () => {
    it('returns undefined and sets the priority of the signal', () => {
      const controller = new TaskController();
      for (const priority of [...PRIORITIES, ...PRIORITIES]) {
        assert.equal(controller.setPriority(priority), undefined);
        assert.equal(controller.signal.priority, priority);
      }
    });

    it('fires one prioritychange event with the previous priority, before it returns', () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const events = [];
      signal.addEventListener('prioritychange', (event) => {
        events.push([event.previousPriority, signal.priority]);
        assert.ok(event instanceof TaskPriorityChangeEvent);
        assert.equal(event.type, 'prioritychange');
        assert.equal(event.target, signal);
        assert.equal(event.currentTarget, signal);
        assert.equal(event.bubbles, false);
        assert.equal(event.cancelable, false);
      });
      controller.setPriority('user-visible');
      controller.setPriority('user-blocking');
      const expected = [['background', 'user-visible'], ['user-visible', 'user-blocking']];
      assert.deepEqual(events, expected);
    });

    it('fires no event if the priority stays the same', () => {
      for (const priority of PRIORITIES) {
        const controller = new TaskController({ priority });
        controller.signal.onprioritychange = () => assert.fail('an event');
        controller.setPriority(priority);
      }
    });

    it('works on an aborted signal', () => {
      const controller = new TaskController();
      const events = [];
      controller.signal.onprioritychange = (event) => events.push(event.previousPriority);
      controller.abort();
      controller.setPriority('background');
      assert.equal(controller.signal.priority, 'background');
      assert.deepEqual(events, ['user-visible']);
    });

    it('changes nothing if its argument is invalid', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      signal.onprioritychange = () => assert.fail('an event');
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('signal'), { signal }),
        scheduler.postTask(() => log.push('visible')),
      ];
      assert.throws(() => controller.setPriority('user-blockin'), TypeError);
      assert.throws(() => controller.setPriority(), TypeError);
      assert.equal(signal.priority, 'background');
      await Promise.all(tasks);
      assert.deepEqual(log, ['visible', 'signal']);
    });
  });

  describe('during a priority change', () => {
    it('refuses another one on the same signal with a NotAllowedError', () => {
      for (const nested of PRIORITIES) {
        const controller = new TaskController({ priority: 'background' });
        const { signal } = controller;
        let events = 0;
        signal.onprioritychange = () => {
          events++;
          assert.throws(() => controller.setPriority(nested), notAllowed);
          assert.equal(signal.priority, 'user-visible');
        };
        controller.setPriority('user-visible');
        assert.equal(events, 1);
        assert.equal(signal.priority, 'user-visible');
      }
    });

    it('reports an invalid argument before the NotAllowedError', () => {
      const controller = new TaskController();
      let error;
      controller.signal.onprioritychange = () => {
        try {
          controller.setPriority('high');
        } catch (caught) {
          error = caught;
        }
      };
      controller.setPriority('background');
      assert.ok(error instanceof TypeError);
    });

    it('allows one on another signal', () => {
      const [a, b] = [new TaskController(), new TaskController()];
      const log = [];
      a.signal.onprioritychange = () => {
        log.push('a');
        b.setPriority('background');
        log.push('a ends');
      };
      b.signal.onprioritychange = () => {
        log.push('b');
        assert.throws(() => a.setPriority('background'), notAllowed);
      };
      a.setPriority('user-blocking');
      assert.deepEqual(log, ['a', 'b', 'a ends']);
      assert.equal(b.signal.priority, 'background');
    });

    it('allows the next one after it has ended', () => {
      const controller = new TaskController();
      controller.signal.onprioritychange = () => {
        assert.throws(() => controller.setPriority('background'), notAllowed);
      };
      controller.setPriority('user-blocking');
      controller.setPriority('background');
      assert.equal(controller.signal.priority, 'background');
    });

    it('continues if a listener throws: an uncaught exception @errors-of-listeners', async () => {
      const lines = await output((root) => {
        const { TaskController: Controller } = require(root);
        process.on('uncaughtException', (error) => console.log(`uncaught ${error.message}`));
        const controller = new Controller();
        controller.signal.addEventListener('prioritychange', () => {
          throw new Error('listener');
        });
        controller.signal.addEventListener('prioritychange', () => console.log('second'));
        controller.setPriority('background');
        console.log(controller.signal.priority);
        controller.setPriority('user-blocking');
        console.log(controller.signal.priority);
      });
      const expected = ['second', 'background', 'second', 'user-blocking',
        'uncaught listener', 'uncaught listener'];
      assert.deepEqual(lines, expected);
    });

    it('has already moved the tasks when the event fires', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => log.push('signal'), { signal }),
        scheduler.postTask(() => log.push('visible')),
      ];
      signal.onprioritychange = () => {
        tasks.push(scheduler.postTask(() => log.push('late'), { priority: 'user-blocking' }));
      };
      controller.setPriority('user-blocking');
      await Promise.all(tasks);
      assert.deepEqual(log, ['signal', 'late', 'visible']);
    });
  });

  describe('moves tasks', () => {
    // Posts tasks by a list of letters: with the signal, or with a fixed priority.
    function postAll(log, letters, signals) {
      return letters.map((letter, index) => {
        const name = `${letter}${index}`;
        const options = letter in signals ? { signal: signals[letter] } : {};
        if (letter === 'B') options.priority = 'user-blocking';
        if (letter === 'G') options.priority = 'background';
        return settled(scheduler.postTask(() => log.push(name), options));
      });
    }

    it('to their new priority, where they merge by age', async () => {
      const controller = new TaskController({ priority: 'background' });
      const log = [];
      const tasks = postAll(log, [...'sBsvBsv'], { s: controller.signal });
      controller.setPriority('user-blocking');
      await Promise.all(tasks);
      assert.deepEqual(log, ['s0', 'B1', 's2', 'B4', 's5', 'v3', 'v6']);
    });

    it('to a lower priority as well', async () => {
      const controller = new TaskController({ priority: 'user-blocking' });
      const log = [];
      const tasks = postAll(log, [...'sGvsGs'], { s: controller.signal });
      controller.setPriority('background');
      await Promise.all(tasks);
      assert.deepEqual(log, ['v2', 's0', 'G1', 's3', 'G4', 's5']);
    });

    it('of several signals, merged by age', async () => {
      const [a, b] = ['background', 'user-blocking'].map((priority) => {
        return new TaskController({ priority });
      });
      const log = [];
      const tasks = postAll(log, [...'abvabvab'], { a: a.signal, b: b.signal });
      a.setPriority('user-visible');
      b.setPriority('user-visible');
      await Promise.all(tasks);
      assert.deepEqual(log, ['a0', 'b1', 'v2', 'a3', 'b4', 'v5', 'a6', 'b7']);
    });

    it('back to their old place', async () => {
      const controller = new TaskController();
      const log = [];
      const tasks = postAll(log, [...'svsvs'], { s: controller.signal });
      for (const priority of [...PRIORITIES, 'user-blocking', 'user-visible']) {
        controller.setPriority(priority);
      }
      await Promise.all(tasks);
      assert.deepEqual(log, ['s0', 'v1', 's2', 'v3', 's4']);
    });

    it('posted before and after the change', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = [];
      const tasks = postAll(log, [...'sv'], { s: signal });
      controller.setPriority('user-visible');
      tasks.push(...postAll(log, [...'vs'], { s: signal }));
      await Promise.all(tasks);
      assert.deepEqual(log, ['s0', 'v1', 'v0', 's1']);
    });

    it('and continuations, which run before the tasks of the new priority', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = [];
      const all = [
        scheduler.postTask(() => log.push('blocking'), { priority: 'user-blocking' }),
        scheduler.postTask(() => log.push('task'), { signal }),
        scheduler.yield({ signal }).then(() => log.push('continuation')),
        scheduler.yield({ priority: 'user-blocking' }).then(() => log.push('younger')),
        scheduler.yield({ signal }).then(() => log.push('youngest')),
      ];
      controller.setPriority('user-blocking');
      await Promise.all(all);
      assert.deepEqual(log, ['continuation', 'younger', 'youngest', 'blocking', 'task']);
    });

    it('inside a task of the same signal', async () => {
      const controller = new TaskController({ priority: 'user-blocking' });
      const { signal } = controller;
      const log = [];
      const tasks = [
        scheduler.postTask(() => {
          log.push('first');
          controller.setPriority('background');
        }, { signal }),
        scheduler.postTask(() => log.push('second'), { signal }),
        scheduler.postTask(() => log.push('visible')),
      ];
      await Promise.all(tasks);
      assert.deepEqual(log, ['first', 'visible', 'second']);
    });

    it('if some of them were aborted', async () => {
      const controller = new TaskController({ priority: 'background' });
      const { signal } = controller;
      const log = [];
      const tasks = postAll(log, [...'sv'], { s: signal });
      controller.abort();
      controller.setPriority('user-blocking');
      await Promise.all(tasks);
      assert.deepEqual(log, ['v1']);
    });

    it('of their own signal alone, also if all its tasks before have run', async () => {
      const [one, other] = ['background', 'background'].map((priority) => {
        return new TaskController({ priority });
      });
      const log = [];
      const post = (name, options) => scheduler.postTask(() => log.push(name), options);
      await post('before', { signal: one.signal });
      const tasks = [post('other', { signal: other.signal }), post('one', { signal: one.signal })];
      one.setPriority('user-blocking');
      await Promise.all([...tasks, post('plain')]);
      assert.deepEqual(log, ['before', 'one', 'plain', 'other']);
    });

    it('of a thousand signals', async () => {
      const controllers = Array.from({ length: 1000 }, () => {
        return new TaskController({ priority: 'background' });
      });
      const log = [];
      const tasks = controllers.map(({ signal }, index) => {
        return scheduler.postTask(() => log.push(index), { signal });
      });
      const raised = [];
      const rest = [];
      controllers.forEach((controller, index) => {
        if (index % 3 === 0) controller.setPriority('user-blocking');
        (index % 3 === 0 ? raised : rest).push(index);
      });
      await Promise.all(tasks);
      assert.deepEqual(log, [...raised, ...rest]);
    });
  });
});
