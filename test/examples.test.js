'use strict';

// Every example of the documents runs as it stands: it ends by itself with exit code 0, and prints
// what the document says, and nothing on standard error. Those in TypeScript compile.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { isBuiltin } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, assertOnEachNode, nodes, run } = require('./helpers-loop.js');
const { ROOT, documents, examples, read } = require('./helpers-docs.js');

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
  const program = ts.createProgram([file], {
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2022.d.ts'],
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules', '@types')],
  });
  const errors = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => ROOT };
  assert.equal(ts.formatDiagnostics(errors, { ...host, getNewLine: () => '\n' }), '');
  return file.replace(/ts$/, 'js');
}

// Asserts that an example does what its document says.
async function assertRuns({ language, code, prints }, { on = nodes, timeout = LIMIT / 2 } = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-example-'));
  try {
    install(folder, packagesOf(code));
    const isCommonJs = language === 'cjs' || /\brequire\(/.test(code);
    const extension = language === 'ts' ? 'mts' : isCommonJs ? 'cjs' : 'mjs';
    const source = path.join(folder, `example.${extension}`);
    fs.writeFileSync(source, code);
    const file = language === 'ts' ? compile(source) : source;
    const expected = { code: 0, signal: null, stdout: prints, stderr: '' };
    await assertOnEachNode(expected, (node) => {
      return run(node, [file], { cwd: folder, timeout });
    }, { on });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

describe('an example runs as it stands', () => {
  for (const file of documents()) {
    for (const example of examples(read(file))) {
      it(`${file}, line ${example.line}`, () => assertRuns(example)).timeout(4 * LIMIT);
    }
  }
});

describe('the test of an example fails if the example', () => {
  const SPIN = 'setInterval(() => {}, 1000);';
  const WRONG = [
    ['throws', 'js', "throw new Error('thrown');"],
    ['leaves a rejection unhandled', 'js', "Promise.reject(new Error('rejected'));"],
    ['awaits what never comes', 'js', 'await new Promise(() => {});'],
    ['does not end', 'js', SPIN],
    ['prints something else than its comment says', 'js', "console.log('a'); // prints: b"],
    ['prints something that the document does not show', 'js', "console.log('a');"],
    ['prints less than the document shows', 'js', '\n```\n\nIt prints:\n\n```text\na'],
    ['writes to standard error', 'js', "console.error('a');"],
    ['uses a name that the package does not export', 'js', "import { no } from 'uv-scheduler';"],
    ['is CommonJS and throws', 'js', "require('uv-scheduler').no();"],
    ['is TypeScript and does not compile', 'ts', 'const a: string = 1;'],
  ];
  for (const [what, language, code] of WRONG) {
    it(what, async () => {
      const [example] = examples(`\`\`\`${language}\n${code}\n\`\`\`\n`);
      const timeout = code === SPIN ? 1000 : undefined;
      await assert.rejects(assertRuns(example, { on: [nodes.at(-1)], timeout }), {
        code: 'ERR_ASSERTION',
      });
    }).timeout(4 * LIMIT);
  }

  it('and succeeds if it prints what its comment or the next block says', async () => {
    const text =
      "```js\nconsole.log('a'); // prints: a\n```\n" +
      "```cjs\nconsole.log(typeof require);\n```\n\nIt prints:\n\n```text\nfunction\n```\n" +
      "```mjs\nconsole.log(1); // prints: 1\n```\n## Title\n```text\nb\n```\n";
    const found = examples(text);
    assert.deepEqual(found.map(({ line, prints }) => [line, prints]), [
      [1, 'a\n'],
      [4, 'function\n'],
      [13, '1\n'],
    ]);
    for (const example of found) await assertRuns(example, { on: [nodes.at(-1)] });
  }).timeout(4 * LIMIT);
});
