'use strict';

// The globals that register.js adds, in processes of their own: the attributes of each property,
// and that existing globals are kept. Also that the package itself adds no globals.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

// What a program prints, as JSON.
async function result(main, args) {
  return JSON.parse((await output(main, args)).at(-1));
}

const INTERFACES = ['IdleDeadline', 'Scheduler', 'TaskController', 'TaskPriorityChangeEvent',
  'TaskSignal'];
const FUNCTIONS = ['cancelIdleCallback', 'requestIdleCallback'];

describe('register', () => {
  let seen;

  before(async () => {
    seen = await result((root) => {
      const before = new Set(Reflect.ownKeys(globalThis));
      require(`${root}/register.js`);
      const api = require(root);
      const { get, set, ...accessor } = Object.getOwnPropertyDescriptor(globalThis, 'scheduler');
      const { scheduler } = globalThis;
      const same = scheduler === api.scheduler && get.call(globalThis) === scheduler;
      const names = [get.name, set.name, get.length, set.length];
      const isAdded = (key) => typeof key === 'string' && !before.has(key);
      const added = Reflect.ownKeys(globalThis).filter(isAdded).sort();
      const values = added.filter((name) => name !== 'scheduler').map((name) => {
        const { value, ...rest } = Object.getOwnPropertyDescriptor(globalThis, name);
        return [name, { ...rest, same: value === api[name] }];
      });
      globalThis.scheduler = 'replaced';
      const after = Object.getOwnPropertyDescriptor(globalThis, 'scheduler');
      delete require.cache[require.resolve(`${root}/register.js`)];
      require(`${root}/register.js`);
      const kept = globalThis.scheduler;
      for (const name of added) delete globalThis[name];
      const left = Reflect.ownKeys(globalThis).filter(isAdded);
      console.log(JSON.stringify({
        scheduler: { ...accessor, same, names, after }, added, values, kept, left,
      }));
    });
  });

  it('installs scheduler as a replaceable accessor', () => {
    assert.deepEqual(seen.scheduler, {
      same: true,
      names: ['get scheduler', 'set scheduler', 0, 1],
      enumerable: true,
      configurable: true,
      after: { value: 'replaced', writable: true, enumerable: true, configurable: true },
    });
  });

  it('installs the five interfaces and the two idle functions as the web has them', () => {
    const attributes = { writable: true, configurable: true, same: true };
    assert.deepEqual(Object.fromEntries(seen.values), Object.fromEntries([
      ...INTERFACES.map((name) => [name, { ...attributes, enumerable: false }]),
      ...FUNCTIONS.map((name) => [name, { ...attributes, enumerable: true }]),
    ]));
  });

  it('installs nothing else', () => {
    assert.deepEqual(seen.added, [...INTERFACES, ...FUNCTIONS, 'scheduler'].sort());
  });

  it('keeps a replaced scheduler if loaded again, and lets every property be deleted', () => {
    assert.deepEqual([seen.kept, seen.left], ['replaced', []]);
  });

  it('keeps globals that exist, whatever their value, and installs the others', async () => {
    assert.deepEqual(await result((root) => {
      const names = ['Scheduler', 'TaskController', 'TaskPriorityChangeEvent', 'IdleDeadline',
        'requestIdleCallback', 'cancelIdleCallback'];
      names.forEach((name, index) => {
        const value = [undefined, null, 0, ''][index % 4];
        const attributes = { value, writable: false, enumerable: true, configurable: true };
        Object.defineProperty(globalThis, name, attributes);
      });
      Object.defineProperty(globalThis, 'scheduler', { get: () => 'mine', configurable: true });
      const descriptors = () => JSON.stringify(names.map((name) => {
        return Object.getOwnPropertyDescriptor(globalThis, name);
      }));
      const before = descriptors();
      require(`${root}/register.js`);
      const { scheduler, TaskSignal } = globalThis;
      console.log(JSON.stringify([before === descriptors(), scheduler, typeof TaskSignal]));
    }), [true, 'mine', 'function']);
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
