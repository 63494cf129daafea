'use strict';

// Mutants of lib/portable/: the turns of a loop without libuv, and the binding of WebAssembly.

const { mutantsOf } = require('./mutants-of.js');

const TURNS = 'lib/portable/turns.js';
const BINDING = 'lib/portable/binding.js';

module.exports = [
  ...mutantsOf(TURNS, { tests: ['test/portable/programs.test.js'], isPortable: true }, [
    ['every turn counts as quiet, whatever has run before it',
      'this.#isQuiet = this.now() - this.#requestedAt < QUIET;', 'this.#isQuiet = true;',
      'the callbacks of others'],
  ]),
  ...mutantsOf(TURNS, { tests: ['test/tasks/post-task.test.js'], isPortable: true }, [
    ['a pass ends with its first task', 'if (!haveTicksRun) after(this.#stepInTick);', ''],
  ]),
  ...mutantsOf(TURNS, { tests: ['test/tasks/on-idle.test.js'], isPortable: true }, [
    ['a turn is not requested again while tasks are left',
      '    this.#request();\n    this.#wake();\n  }\n}', '    this.#wake();\n  }\n}'],
  ]),
  ...mutantsOf(TURNS, {
    tests: ['test/tasks/should-yield.test.js', 'test/tasks/quantum.test.js'], isPortable: true,
  }, [
    ['questions of one callback begin a turn each', 'this.#isAsking = true;', ''],
  ]),
  ...mutantsOf(BINDING, { tests: ['test/signals/abort.test.js'], isPortable: true }, [
    ['the binding writes to a view that the growth of the memory has detached',
      'copy === undefined || copy.length === 0', 'copy === undefined'],
  ]),
  ...mutantsOf(BINDING, { tests: ['test/portable/hosts.test.js'], isPortable: true }, [
    ['the binding goes on after a fault of the core', 'if (fault !== undefined) throw fault;', '',
      'memory cannot grow'],
  ]),
];
