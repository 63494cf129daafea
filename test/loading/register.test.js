'use strict';

// The globals that register.js adds, in processes of their own: the attributes of each property,
// and that existing globals are kept. Also that the package itself adds no globals.

const assert = require('node:assert/strict');
const path = require('node:path');
const { ROOT, output } = require('../helpers/tasks.js');

const REGISTER = path.join(ROOT, 'register.js');

// The last line that a program printed, as an object.
async function result(main, args) {
  return JSON.parse((await output(main, args)).at(-1));
}

describe('register', () => {
  it('installs scheduler as a replaceable accessor', async () => {
    const seen = await result((root) => {
      require(`${root}/register.js`);
      const descriptor = Object.getOwnPropertyDescriptor(globalThis, 'scheduler');
      const { get, set, enumerable, configurable } = descriptor;
      const { scheduler } = globalThis;
      globalThis.scheduler = 'replaced';
      const after = Object.getOwnPropertyDescriptor(globalThis, 'scheduler');
      console.log(JSON.stringify({
        same: scheduler === require(root).scheduler && get.call(globalThis) === scheduler,
        names: [get.name, set.name, get.length, set.length],
        enumerable,
        configurable,
        after,
      }));
    });
    assert.deepEqual(seen, {
      same: true,
      names: ['get scheduler', 'set scheduler', 0, 1],
      enumerable: true,
      configurable: true,
      after: { value: 'replaced', writable: true, enumerable: true, configurable: true },
    });
  });

  it('installs the five interfaces: writable, configurable, not enumerable', async () => {
    const seen = await result((root) => {
      require(`${root}/register.js`);
      const api = require(root);
      const names = ['Scheduler', 'TaskController', 'TaskSignal', 'TaskPriorityChangeEvent',
        'IdleDeadline'];
      console.log(JSON.stringify(names.map((name) => {
        const { value, ...rest } = Object.getOwnPropertyDescriptor(globalThis, name);
        return { ...rest, same: value === api[name] };
      })));
    });
    const expected = { writable: true, enumerable: false, configurable: true, same: true };
    assert.deepEqual(seen, Array(5).fill(expected));
  });

  it('installs the two idle functions: writable, configurable', async () => {
    const seen = await result((root) => {
      require(`${root}/register.js`);
      const api = require(root);
      const names = ['requestIdleCallback', 'cancelIdleCallback'];
      console.log(JSON.stringify(names.map((name) => {
        const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
        const { value, writable, configurable } = descriptor;
        return { writable, configurable, same: value === api[name] };
      })));
    });
    const expected = { writable: true, configurable: true, same: true };
    assert.deepEqual(seen, Array(2).fill(expected));
  });

  it('installs nothing else', async () => {
    const seen = await result((root) => {
      const before = new Set(Reflect.ownKeys(globalThis));
      require(`${root}/register.js`);
      const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key));
      console.log(JSON.stringify(added.filter((key) => typeof key === 'string').sort()));
    });
    assert.deepEqual(seen, ['IdleDeadline', 'Scheduler', 'TaskController',
      'TaskPriorityChangeEvent', 'TaskSignal', 'cancelIdleCallback', 'requestIdleCallback',
      'scheduler']);
  });

  it('keeps globals that exist already, whatever their value', async () => {
    const seen = await result((root) => {
      const names = ['scheduler', 'Scheduler', 'TaskController', 'TaskSignal',
        'TaskPriorityChangeEvent', 'IdleDeadline', 'requestIdleCallback', 'cancelIdleCallback'];
      names.forEach((name, index) => {
        const value = [undefined, null, 0, ''][index % 4];
        const attributes = { value, writable: false, enumerable: true, configurable: true };
        Object.defineProperty(globalThis, name, attributes);
      });
      const descriptors = () => JSON.stringify(names.map((name) => {
        return Object.getOwnPropertyDescriptor(globalThis, name);
      }));
      const before = descriptors();
      require(`${root}/register.js`);
      console.log(JSON.stringify(before === descriptors()));
    });
    assert.equal(seen, true);
  });

  it('installs the missing globals if some exist already', async () => {
    const seen = await result((root) => {
      globalThis.TaskController = 'mine';
      Object.defineProperty(globalThis, 'scheduler', { get: () => 'mine', configurable: true });
      require(`${root}/register.js`);
      const { scheduler, TaskController, TaskSignal } = globalThis;
      console.log(JSON.stringify([scheduler, TaskController, typeof TaskSignal]));
    });
    assert.deepEqual(seen, ['mine', 'mine', 'function']);
  });

  it('keeps a replaced scheduler when it is loaded again', async () => {
    const seen = await result((root) => {
      require(`${root}/register.js`);
      globalThis.scheduler = 'mine';
      delete require.cache[require.resolve(`${root}/register.js`)];
      require(`${root}/register.js`);
      console.log(JSON.stringify(globalThis.scheduler));
    });
    assert.equal(seen, 'mine');
  });

  it('lets every property be deleted', async () => {
    const seen = await result((root) => {
      const before = Reflect.ownKeys(globalThis).length;
      require(`${root}`);
      require(`${root}/register.js`);
      for (const name of ['scheduler', 'Scheduler', 'TaskController', 'TaskSignal',
        'TaskPriorityChangeEvent', 'IdleDeadline', 'requestIdleCallback', 'cancelIdleCallback']) {
        delete globalThis[name];
      }
      const left = Reflect.ownKeys(globalThis).slice(before);
      console.log(JSON.stringify(left.filter((key) => typeof key === 'string')));
    });
    assert.deepEqual(seen, []);
  });

  it('installs working globals when it is preloaded', async () => {
    const lines = await output(() => {
      const { scheduler, TaskController, requestIdleCallback } = globalThis;
      const { signal } = new TaskController({ priority: 'background' });
      requestIdleCallback(() => console.log('idle'));
      scheduler.postTask(() => console.log('background'), { signal });
      scheduler.postTask(() => console.log('visible'));
    }, ['--require', REGISTER]);
    assert.deepEqual(lines, ['visible', 'background', 'idle']);
  });

  it('can be loaded by its public name, from CommonJS and ES modules', async () => {
    const lines = await output(() => {
      require('uv-scheduler/register');
      const { scheduler } = globalThis;
      import('uv-scheduler').then((api) => {
        console.log(api.default.scheduler === scheduler, api.scheduler === scheduler);
      });
    });
    assert.deepEqual(lines, ['true true']);
  });
});

describe('the package without register', () => {
  it('exports every public name to ES modules', async () => {
    const lines = await output(() => {
      import('uv-scheduler').then(({ default: api, ...names }) => {
        delete names['module.exports'];
        const same = Object.keys(api).filter((name) => names[name] === api[name]);
        console.log(same.length === Object.keys(api).length, Object.keys(names).length);
      });
    });
    assert.deepEqual(lines, ['true 22']);
  });

  it('adds no global with a string key, and nothing enumerable', async () => {
    const seen = await result((root) => {
      const before = new Set(Reflect.ownKeys(globalThis));
      require(root);
      const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key));
      console.log(JSON.stringify(added.filter((key) => {
        const { enumerable } = Object.getOwnPropertyDescriptor(globalThis, key);
        return typeof key === 'string' || enumerable;
      })));
    });
    assert.deepEqual(seen, []);
  });
});
