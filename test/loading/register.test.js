'use strict';

// The globals that register.js adds, in processes of their own: the attributes of each property,
// and that existing globals are kept. Also that the package itself adds no globals.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

// What a program prints, as JSON.
async function result(main) {
  return JSON.parse((await output(main)).at(-1));
}

const INTERFACES = ['IdleDeadline', 'Scheduler', 'TaskController', 'TaskPriorityChangeEvent',
  'TaskSignal'];
const FUNCTIONS = ['cancelIdleCallback', 'requestIdleCallback'];

const VALUE = { writable: true, configurable: true, isOfPackage: true, accessors: [] };

describe('register', () => {
  it('installs globals as the web has them, and nothing else', async () => {
    assert.deepEqual(await result((root) => {
      const before = new Set(Reflect.ownKeys(globalThis));
      require(`${root}/register.js`);
      const api = require(root);
      const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key));
      const found = added.filter((key) => typeof key === 'string').map((name) => {
        const { value, get, set, ...rest } = Object.getOwnPropertyDescriptor(globalThis, name);
        const accessors = [get, set].filter(Boolean).map((each) => `${each.name} ${each.length}`);
        const isOfPackage = (get?.call(globalThis) ?? value) === api[name];
        return [name, { ...rest, isOfPackage, accessors }];
      });
      console.log(JSON.stringify(Object.fromEntries(found)));
    }), {
      ...Object.fromEntries(INTERFACES.map((name) => [name, { ...VALUE, enumerable: false }])),
      ...Object.fromEntries(FUNCTIONS.map((name) => [name, { ...VALUE, enumerable: true }])),
      scheduler: {
        enumerable: true,
        configurable: true,
        isOfPackage: true,
        accessors: ['get scheduler 0', 'set scheduler 1'],
      },
    });
  });

  it('has a scheduler that can be replaced, and keeps that if loaded again', async () => {
    assert.deepEqual(await result((root) => {
      const file = `${root}/register.js`;
      require(file);
      globalThis.scheduler = 'replaced';
      delete require.cache[require.resolve(file)];
      require(file);
      console.log(JSON.stringify(Object.getOwnPropertyDescriptor(globalThis, 'scheduler')));
    }), { value: 'replaced', writable: true, enumerable: true, configurable: true });
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
      const descriptors = () => JSON.stringify(names.map((name) =>
        Object.getOwnPropertyDescriptor(globalThis, name)));
      const before = descriptors();
      require(`${root}/register.js`);
      const { scheduler, TaskSignal } = globalThis;
      console.log(JSON.stringify([before === descriptors(), scheduler, typeof TaskSignal]));
    }), [true, 'mine', 'function']);
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
