'use strict';

// TaskController: its signal, and what setPriority() does if its argument is bad, if a listener
// throws, or with very many signals. dependents.test.js tests the changes of priority.

const assert = require('node:assert/strict');
const { TaskController, TaskSignal, TaskPriorityChangeEvent, scheduler } = require('../..');
const { output } = require('../helpers/tasks.js');

describe('TaskController', () => {
  it('is an AbortController whose signal is a TaskSignal', () => {
    const controller = new TaskController();
    assert.ok(controller instanceof AbortController);
    assert.ok(controller.signal instanceof TaskSignal);
    assert.ok(controller.signal instanceof AbortSignal);
    assert.equal(controller.signal, controller.signal);
    assert.notEqual(controller.signal, new TaskController().signal);
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

    it('continues if a listener throws, which is uncaught @errors-of-listeners', async () => {
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
