'use strict';

// The exports behave as those of any module, though parts of the package are loaded only when they
// are used: they can be listed, copied, frozen, replaced and removed.

const assert = require('node:assert/strict');
const { output } = require('../helpers/tasks.js');

// declarations.test.js says which these are.
const NAMES = Object.keys(require('../..')).sort();

const FUNCTIONS = NAMES.filter((each) => /^[a-z]/.test(each) && each !== 'scheduler');

// The value that code prints in a process that has just loaded the package as `api`.
const CASES = {
  'are copied by a spread': [NAMES, `
    const copy = { ...api };
    print(Object.keys(copy).filter((name) => copy[name] === api[name]).sort());`],

  'can be replaced for a test, each function, by mock.method() of node:test':
    [FUNCTIONS.map((name) => [name, 7, 1, true]), `
      const { mock } = require('node:test');
      print(${JSON.stringify(FUNCTIONS)}.map((name) => {
        const original = Object.getOwnPropertyDescriptor(api, name).value;
        const mocked = mock.method(api, name, () => 7);
        const result = api[name]();
        mocked.mock.restore();
        return [name, result, mocked.mock.callCount(), api[name] === original];
      }));`],

  'can be assigned and removed': [[1, false, true], `
    api.TaskController = 1;
    delete api.TaskSignal;
    print([api.TaskController, 'TaskSignal' in api, delete api.TaskPriorityChangeEvent]);`],

  'can be read when they are frozen': [Array(NAMES.length).fill(true), `
    Object.freeze(api);
    print(Object.keys(api).map((name) => api[name] !== undefined && api[name] === api[name]));`],
};

describe('the exports', () => {
  for (const [title, [expected, code]] of Object.entries(CASES)) {
    it(title, async () => {
      const [printed] = await output(`(root) => {
        const api = require(root);
        const print = (value) => console.log(JSON.stringify(value));
        ${code}
      }`);
      assert.deepEqual(JSON.parse(printed), expected);
    });
  }
});
