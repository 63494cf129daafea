'use strict';

// Mutants of lib/portable/: the turns of a loop without libuv, and the binding of WebAssembly.

const TURNS = 'lib/portable/turns.js';
const BINDING = 'lib/portable/binding.js';

module.exports = [
  {
    name: 'every turn counts as quiet, whatever has run before it',
    file: TURNS,
    find: 'this.#isQuiet = this.now() - this.#requestedAt < QUIET;',
    replace: 'this.#isQuiet = true;',
    tests: ['test/portable/programs.test.js'],
    grep: 'the callbacks of others',
    isPortable: true,
  },
  {
    name: 'a pass ends with its first task',
    file: TURNS,
    find: 'if (!haveTicksRun) after(this.#stepInTick);',
    replace: '',
    tests: ['test/tasks/post-task.test.js'],
    isPortable: true,
  },
  {
    name: 'questions of one callback begin a turn each',
    file: TURNS,
    find: 'this.#isAsking = true;',
    replace: '',
    tests: ['test/tasks/should-yield.test.js', 'test/tasks/quantum.test.js'],
    isPortable: true,
  },
  {
    name: 'a turn is not requested again while tasks are left',
    file: TURNS,
    find: '    this.#request();\n    this.#wake();\n  }\n}',
    replace: '    this.#wake();\n  }\n}',
    tests: ['test/tasks/post-task.test.js', 'test/tasks/order.test.js'],
    isPortable: true,
  },
  {
    name: 'the binding writes to a view that the growth of the memory has detached',
    file: BINDING,
    find: 'copy === undefined || copy.length === 0',
    replace: 'copy === undefined',
    tests: ['test/signals/abort.test.js'],
    isPortable: true,
  },
  {
    name: 'the binding takes the last flow for the one before it',
    file: BINDING,
    find: 'number === undefined ? 0 : number + 1',
    replace: 'number === undefined ? 0 : number',
    tests: ['test/tasks/fairness.test.js'],
    grep: 'the run of a shared task',
    isPortable: true,
  },
  {
    name: 'the binding goes on after a fault of the core',
    file: BINDING,
    find: 'if (fault !== undefined) throw fault;',
    replace: '',
    tests: ['test/portable/hosts.test.js'],
    grep: 'memory cannot grow',
    isPortable: true,
  },
];
