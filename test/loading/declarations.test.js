'use strict';

// The type declarations name exactly what the package has, and mark every extension to the web's
// API. Programs that use them are compiled in test/types/ and test/ecosystem/types.test.js.
// @host any

const assert = require('node:assert/strict');
const path = require('node:path');
const ts = require('typescript');
const api = require('../..');
const { ROOT, run } = require('../helpers/programs.js');

const INDEX = path.join(ROOT, 'index.d.ts');
const REGISTER = path.join(ROOT, 'register.d.ts');
const SUBPATHS = ['bullmq', 'guard', 'http', 'opentelemetry', 'prometheus', 'watch'];

const fileOf = (name) => path.join(ROOT, 'integrations', name, 'index.d.ts');
const MARK = /\bAn\s+extension\s+to\s+the\s+web's\s+API\b/;

// The declaration of a name of the web's API, with the members that the web has. The listener
// operations are those of EventTarget, with a type for `prioritychange`.
const LISTENERS = ['addEventListener', 'removeEventListener'];
const WEB = {
  scheduler: [],
  Scheduler: ['postTask', 'yield'],
  SchedulerPostTaskOptions: ['signal', 'priority', 'delay'],
  TaskController: ['signal', 'setPriority'],
  TaskPriority: [],
  TaskPriorityChangeEvent: ['previousPriority'],
  TaskSignal: ['any', 'priority', 'onprioritychange', ...LISTENERS],
  requestIdleCallback: [],
  cancelIdleCallback: [],
  IdleDeadline: ['didTimeout', 'timeRemaining'],
};

const isNamed = (name) => !name.startsWith('__') && name !== 'prototype';

// The names in a class, interface or its static side. Its type parameters are no members.
function memberNames(table) {
  return [...(table?.values() ?? [])]
    .filter(({ flags }) => (flags & ts.SymbolFlags.TypeParameter) === 0)
    .map(({ escapedName }) => escapedName)
    .filter(isNamed);
}

describe('the declarations', () => {
  let program;
  let checker;
  let exported;

  before(() => {
    // The names need neither the libraries of TypeScript nor a check.
    const files = [INDEX, REGISTER, ...SUBPATHS.map(fileOf)];
    program = ts.createProgram(files, { noLib: true, types: [] });
    checker = program.getTypeChecker();
    exported = exportsOf(INDEX);
  });

  const exportsOf = (file) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file));
    return new Map(checker.getExportsOfModule(module).map((each) => [each.name, each]));
  };

  const valuesOf = (symbols) =>
    [...symbols.values()].filter(({ flags }) => flags & ts.SymbolFlags.Value);

  const documentation = (symbol) =>
    ts.displayPartsToString(symbol.getDocumentationComment(checker));

  it('name every export of the package and no other', () => {
    const values = valuesOf(exported);
    assert.deepEqual(values.map(({ name }) => name).sort(), Object.keys(api).sort());
  });

  for (const subpath of SUBPATHS) {
    it(`of uv-scheduler/${subpath} name every export, and mark it as an extension`, () => {
      const values = valuesOf(exportsOf(fileOf(subpath)));
      const names = values.map(({ name }) => name);
      assert.deepEqual(names, Object.keys(require(`uv-scheduler/${subpath}`)));
      assert.deepEqual(values.filter((each) => !MARK.test(documentation(each))), []);
    });
  }

  it('name every member of the interfaces and no other', () => {
    for (const [name, { prototype, ...rest }] of Object.entries(api)) {
      if (prototype === undefined || !/^[A-Z]/.test(name)) continue;
      const { members, exports: statics } = exported.get(name);
      const declared = memberNames(members);
      const own = Object.getOwnPropertyNames(prototype);
      assert.deepEqual(own.filter((each) => !declared.includes(each)), ['constructor'], name);
      assert.deepEqual(declared.filter((each) => !(each in prototype)), [], name);
      assert.deepEqual(memberNames(statics), Object.keys(rest), name);
    }
  });

  it('of the globals name every global that register installs and no other', async () => {
    const declared = program.getSourceFile(REGISTER).statements
      .filter((each) => ts.isModuleDeclaration(each))
      .flatMap(({ body }) => body.statements)
      .flatMap((each) => each.declarationList?.declarations ?? each)
      .filter((each) => ts.isVariableDeclaration(each) || ts.isFunctionDeclaration(each))
      .map((each) => each.name.text);
    const code = `
      const before = Object.getOwnPropertyNames(globalThis);
      require('./register.js');
      const added = Object.getOwnPropertyNames(globalThis);
      console.log(JSON.stringify(added.filter((name) => !before.includes(name))));`;
    const { stdout } = await run({ path: process.execPath }, ['-e', code], { cwd: ROOT });
    assert.deepEqual(JSON.parse(stdout).sort(), declared.sort());
  });

  it('mark all that the web does not have, and nothing else', () => {
    const marked = [];
    const expected = [];
    const note = (name, symbol, isOfWeb) => {
      if (MARK.test(documentation(symbol))) marked.push(name);
      if (!isOfWeb) expected.push(name);
    };
    for (const [name, symbol] of exported) {
      // The type of an option is marked where the option is.
      const isValue = symbol.flags & ts.SymbolFlags.Value || name === 'SchedulerYieldOptions';
      if (isValue || name in WEB) note(name, symbol, name in WEB);
    }
    for (const [name, web] of Object.entries(WEB)) {
      const { members, exports: statics } = exported.get(name);
      const all = [...(members ?? []), ...(statics ?? [])].filter(([each]) => isNamed(each));
      for (const [each, symbol] of all) note(`${name}.${each}`, symbol, web.includes(each));
      const names = all.map(([each]) => each);
      assert.deepEqual(web.filter((each) => !names.includes(each)), [], name);
    }
    assert.deepEqual(marked, expected);
  });
});
