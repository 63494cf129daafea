'use strict';

// Arguments that the API accepts: the order in which options are read, which objects may be
// options, and how delays and priorities are converted. webidl.test.js tests what is refused.

const assert = require('node:assert/strict');
const { SharedTask, TaskController, TaskPriorityChangeEvent, TaskSignal, cancelIdleCallback, drain,
  onIdle, requestIdleCallback, scheduler } = require('../..');
const { PRIORITIES, TASK, priorityOfTask, settled } = require('../helpers/tasks.js');

const nothing = () => {};
const never = () => assert.fail('the task of a refused call ran');
const oneSignal = [new AbortController().signal];

describe('options', () => {
  // An object that logs every read of it and of its members. The web's dictionaries are not listed;
  // other options are, to refuse those that are unknown.
  function logging(log, members, ownKeys = () => assert.fail('listed')) {
    return new Proxy(members, {
      get(target, key) {
        log.push(`get ${String(key)}`);
        return target[key];
      },
      has: () => assert.fail('asked for'),
      ownKeys,
    });
  }
  const logged = (log, name, value) => ({
    [Symbol.toPrimitive](hint) {
      log.push(`${name} to ${hint}`);
      return value;
    },
  });

  it('of postTask() are read and converted once each', async () => {
    const log = [];
    await scheduler.postTask(nothing, logging(log, {
      signal: oneSignal[0],
      priority: logged(log, 'priority', 'background'),
      delay: logged(log, 'delay', 1),
      ref: logged(log, 'ref', true),
      label: logged(log, 'label', 'a label'),
      maxWait: 1,
      fairnessKey: logged(log, 'fairnessKey', 'a key'),
      fairnessWeight: 1,
    }));
    // A boolean is converted without a call of its own.
    const expected = ['get delay', 'delay to number', 'get fairnessKey',
      'fairnessKey to string', 'get fairnessWeight', 'get label', 'label to string',
      'get maxWait', 'get priority', 'priority to string', 'get ref', 'get signal'];
    assert.deepEqual(log, expected);
  });

  it('of onIdle() and drain() are read once each', async () => {
    const log = [];
    const signal = oneSignal[0];
    await onIdle(logging(log, { signal }, Reflect.ownKeys));
    const priority = logged(log, 'priority', 'background');
    await drain(logging(log, { timeout: 1, signal, priority }, Reflect.ownKeys));
    assert.deepEqual(log,
      ['get signal', 'get priority', 'priority to string', 'get signal', 'get timeout']);
  });

  it('of SharedTask and join() are read once each', async () => {
    const log = [];
    const read = (members) => new Proxy(members, {
      get(target, key) {
        log.push(`get ${key}`);
        return target[key];
      },
    });
    const task = new SharedTask(nothing, read({
      priority: logged(log, 'priority', 'background'),
      label: logged(log, 'label', 'a label'),
      abortWhenUnused: true,
    }));
    assert.deepEqual(log.splice(0), ['get abortWhenUnused', 'get label', 'label to string',
      'get priority', 'priority to string']);
    await task.join(read({
      signal: oneSignal[0],
      priority: logged(log, 'priority', 'inherit'),
    }));
    assert.deepEqual(log, ['get priority', 'priority to string', 'get signal']);
  });

  it('of postTask() are read before the call returns, and not after an error', async () => {
    const log = [];
    const options = logging(log, { delay: -1 });
    const refused = scheduler.postTask(never, options);
    assert.deepEqual(log, ['get delay']);
    await assert.rejects(refused, TypeError);
    await assert.rejects(scheduler.postTask('no function', options), TypeError);
    assert.deepEqual(log, ['get delay']);
  });

  for (const [operation, call] of [
    ['yield', (options) => scheduler.yield(options)],
    ['wait', (options) => scheduler.wait(1, options)],
  ]) {
    it(`of ${operation}() are read and converted once each: priority, ref, signal`, async () => {
      const log = [];
      await call(logging(log, {
        signal: logged(log, 'signal', 'inherit'),
        ref: true,
        priority: logged(log, 'priority', 'inherit'),
      }));
      assert.deepEqual(log.filter((entry) => /^get (delay|priority|ref|signal)$/.test(entry)),
        ['get priority', 'get ref', 'get signal']);
      assert.ok(log.indexOf('priority to string') < log.indexOf('get signal'));
    });
  }

  it('of the other operations are read once each', () => {
    const log = [];
    new TaskController(logging(log, { priority: 'background' }));
    TaskSignal.any([], logging(log, { priority: 'background' }));
    cancelIdleCallback(requestIdleCallback(nothing, logging(log, { timeout: 1 })));
    assert.deepEqual(log, ['get priority', 'get priority', 'get ref', 'get timeout']);
  });

  it('of an event are read once each, those of every event first', () => {
    const log = [];
    const init = logging(log, { previousPriority: 'background', bubbles: true });
    new TaskPriorityChangeEvent('type', init);
    assert.deepEqual([...log].sort(), [...new Set(log)].sort());
    assert.equal(log.at(-1), 'get previousPriority');
  });

  it('of an event may be members of a function', () => {
    const init = Object.assign(() => {}, { previousPriority: 'background', cancelable: true });
    const event = new TaskPriorityChangeEvent('type', init);
    assert.equal(event.previousPriority, 'background');
    assert.equal(event.cancelable, true);
  });

  for (const [name, options] of [['undefined', undefined], ['null', null], ['{}', {}],
    ['a function', () => {}], ['an array', []], ['a class instance', new Date()],
    ['an object without prototype', Object.create(null)],
    ['inherited ones', Object.create({ priority: 'user-visible', delay: 0 })],
    ['undefined members', { delay: undefined, maxWait: undefined, priority: undefined,
      ref: undefined, signal: undefined }]]) {
    it(`may be ${name}`, async () => {
      assert.equal(await scheduler.postTask(() => 'ran', options), 'ran');
      assert.equal(await scheduler.yield(options), undefined);
      assert.equal(await scheduler.wait(0, options), undefined);
      assert.equal(new TaskController(options).signal.priority, 'user-visible');
      assert.equal(TaskSignal.any([], options).priority, 'user-visible');
      cancelIdleCallback(requestIdleCallback(nothing, options));
    });
  }

  it('may be inherited, or members of a function', async () => {
    const all = [Object.create({ priority: 'background' }),
      Object.assign(() => {}, { priority: 'background' })];
    for (const options of all) assert.equal(await priorityOfTask(options), TASK.background);
  });
});

describe('a delay', () => {
  // A delayed task runs after a task without delay that was posted later.
  const delayed = async (delay) => {
    const log = [];
    await Promise.all([
      scheduler.postTask(() => log.push('delay'), { delay }),
      scheduler.postTask(() => log.push('none')),
    ]);
    return log.join() === 'none,delay';
  };
  const zero = [0, -0, 0.9, -0.5, -0.9999, '', ' ', '0', '-0.5', null, false, [], [0], undefined,
    { valueOf: () => 0.5 }, new Date(0), Number.MIN_VALUE];
  const one = [1, 1.9, '1', ' 1.5 ', '0x1', '1e0', true, [1], ['1'], { valueOf: () => 1 },
    { toString: () => '1' }, new Date(1), Object(1)];

  for (const value of zero) {
    it(`of ${describeValue(value)} is no delay`, async () => {
      assert.equal(await delayed(value), false);
    });
  }
  for (const value of one) {
    it(`of ${describeValue(value)} delays the task`, async () => {
      assert.equal(await delayed(value), true);
    });
  }

  it('has the length of the converted number', async () => {
    const start = performance.now();
    const elapsed = () => performance.now() - start;
    const all = ['120', { valueOf: () => 120.9 }, new Date(120), ['120']];
    const times = await Promise.all(all.map((delay) => scheduler.postTask(elapsed, { delay })));
    for (const time of times) assert.ok(time >= 120 && time < 15_000, `${time}`);
  });

  it('is converted once', async () => {
    let conversions = 0;
    await scheduler.postTask(nothing, { delay: { valueOf: () => ++conversions } });
    assert.equal(conversions, 1);
  });

  it('can be as large as 2^53-1', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = [2 ** 53 - 1, 2 ** 53 - 1 + 0.4, `${2 ** 53 - 1}`];
    const tasks = all.map((delay) => settled(scheduler.postTask(never, { delay, signal })));
    controller.abort('accepted');
    assert.deepEqual(await Promise.all(tasks), Array(3).fill(['rejected', 'accepted']));
  });
});

function describeValue(value) {
  const type = typeof value === 'object' && value !== null ? value.constructor.name : typeof value;
  return `${type} ${Object.is(value, -0) ? '-0' : JSON.stringify(value)}`;
}

describe('a priority', () => {
  it('can be anything that converts to one of the values', async () => {
    for (const priority of PRIORITIES) {
      for (const value of [{ toString: () => priority }, [priority], Object(priority),
        { [Symbol.toPrimitive]: () => priority }]) {
        assert.equal(await priorityOfTask({ priority: value }), TASK[priority]);
        assert.equal(new TaskController({ priority: value }).signal.priority, priority);
        assert.equal(TaskSignal.any([], { priority: value }).priority, priority);
        const controller = new TaskController();
        controller.setPriority(value);
        assert.equal(controller.signal.priority, priority);
        const event = new TaskPriorityChangeEvent('type', { previousPriority: value });
        assert.equal(event.previousPriority, priority);
        await scheduler.yield({ priority: value });
      }
    }
  });

  it('can be `inherit` for yield(), as can its signal', async () => {
    await scheduler.yield({ priority: { toString: () => 'inherit' } });
    await scheduler.yield({ signal: { toString: () => 'inherit' } });
    await scheduler.yield({ signal: ['inherit'] });
  });
});
