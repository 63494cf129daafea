'use strict';

// The exports behave as those of any module, though parts of the package are loaded only when they
// are used: they can be listed, copied, frozen, replaced and removed.

const { ROOT, assertOnEachNode, run } = require('../helpers/loop.js');

const NAMES = [
  'IdleDeadline',
  'Scheduler',
  'SharedTask',
  'TaskController',
  'TaskPriorityChangeEvent',
  'TaskSignal',
  'cancelIdleCallback',
  'configuration',
  'configure',
  'createScheduler',
  'currentTaskSignal',
  'drain',
  'guarantees',
  'monitorTasks',
  'onIdle',
  'pieces',
  'reportSlowTasks',
  'requestIdleCallback',
  'scheduler',
  'shouldYield',
  'traceTasks',
  'wait',
];

// Asserts what code prints in a process that has just loaded the package as `api`.
async function assertPrints(expected, code) {
  const program = `
    const api = require(${JSON.stringify(ROOT)});
    const print = (value) => console.log(JSON.stringify(value));
    ${code}`;
  const result = { code: 0, signal: null, stdout: `${JSON.stringify(expected)}\n`, stderr: '' };
  await assertOnEachNode(result, (node) => run(node, ['-e', program]));
}

describe('the exports', () => {
  it('are listed with their names', async () => {
    await assertPrints(NAMES, 'print(Object.keys(api).sort());');
  });

  it('are copied by a spread', async () => {
    await assertPrints(NAMES, `
      const copy = { ...api };
      print(Object.keys(copy).filter((name) => copy[name] === api[name]).sort());`);
  });

  it('can be replaced for a test, each function, by mock.method() of node:test', async () => {
    const others = ['guarantees', 'scheduler'];
    const names = NAMES.filter((each) => /^[a-z]/.test(each) && !others.includes(each));
    await assertPrints(names.map((name) => [name, 7, 1, true]), `
      const { mock } = require('node:test');
      print(${JSON.stringify(names)}.map((name) => {
        const original = Object.getOwnPropertyDescriptor(api, name).value;
        const mocked = mock.method(api, name, () => 7);
        const result = api[name]();
        mocked.mock.restore();
        return [name, result, mocked.mock.callCount(), api[name] === original];
      }));`);
  });

  it('can be assigned and removed', async () => {
    await assertPrints([1, false, true], `
      api.TaskController = 1;
      delete api.TaskSignal;
      print([api.TaskController, 'TaskSignal' in api, delete api.TaskPriorityChangeEvent]);`);
  });

  it('can be read when they are frozen', async () => {
    await assertPrints(Array(NAMES.length).fill(true), `
      Object.freeze(api);
      print(Object.keys(api).map((name) => api[name] !== undefined && api[name] === api[name]));`);
  });

  it('stay as they are when an object that inherits them gets its own', async () => {
    await assertPrints([1, 'function'], `
      const mine = Object.create(api);
      mine.TaskController = 1;
      print([mine.TaskController, typeof api.TaskController]);`);
  });
});
