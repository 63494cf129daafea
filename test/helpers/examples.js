'use strict';

// Runs the examples of the documents as they stand, with the packages that they load.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { isBuiltin } = require('node:module');
const path = require('node:path');
const { withFolder } = require('./folders.js');
const { LIMIT, assertOnEnds, run } = require('./loop.js');
const { ROOT } = require('./docs.js');
const { isNode } = require('./runtime.js');

const LOADED = /(?:from|import|require\(|import\() ?'([^'.][^']*)'/g;
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;

// The packages that an example loads.
function packagesOf(code) {
  const names = Array.from(code.matchAll(LOADED), ([, name]) => name);
  return new Set(names.filter((name) => !isBuiltin(name)).map((name) => PACKAGE.exec(name)[0]));
}

// A folder in which the packages are installed. A junction needs no privilege on Windows.
function install(folder, packages) {
  for (const name of packages) {
    const place = path.join(folder, 'node_modules', name);
    const source = name === 'uv-scheduler' ? ROOT : path.join(ROOT, 'node_modules', name);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.symlinkSync(source, place, 'junction');
  }
}

// Compiles a program in TypeScript. Returns the file that was made.
function compile(file) {
  const ts = require('typescript');
  const options = {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules', '@types')],
    // The linter checks those of the package.
    skipLibCheck: true,
  };
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram([file], options, host);
  const errors = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  assert.equal(ts.formatDiagnostics(errors, host), '');
  return file.replace(/ts$/, 'js');
}

// Asserts that an example does what its document says, on the oldest and the newest Node. A matrix
// has one at a time.
async function assertRuns({ language, code, prints }) {
  await withFolder(async (folder) => {
    install(folder, packagesOf(code));
    // Without it, Deno does not look for packages there.
    fs.writeFileSync(path.join(folder, 'package.json'), '{}');
    const isCommonJs = language === 'cjs' || /\brequire\(/.test(code);
    const extension = language === 'ts' ? 'mts' : isCommonJs ? 'cjs' : 'mjs';
    const source = path.join(folder, `example.${extension}`);
    fs.writeFileSync(source, code);
    const file = language === 'ts' ? compile(source) : source;
    const expected = { code: 0, signal: null, stdout: prints, stderr: '' };
    const options = { cwd: folder, timeout: LIMIT / 2 };
    await assertOnEnds(expected, (node) => run(node, [file], options));
  });
}

// Tests an example. If it names a limit of Bun and Deno, it prints something else there.
function testExample(name, example) {
  if (isNode || !/\bBun\b/.test(example.code)) {
    it(name, () => assertRuns(example)).timeout(4 * LIMIT);
    return;
  }
  it(`${name}, but for the limit that it names`, () =>
    assert.rejects(assertRuns(example), { code: 'ERR_ASSERTION' })).timeout(4 * LIMIT);
}

module.exports = { install, testExample };
