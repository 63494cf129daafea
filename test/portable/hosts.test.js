'use strict';

// The needs of the portable host in a process, and the errors if something is missing.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { copyPackage, withFolder } = require('../helpers/folders.js');
const { CODE } = require('../helpers/refusals.js');
const { ROOT } = require('../helpers/programs.js');
const { isDeno, isNode, linesOf, runProgram } = require('../helpers/runtime.js');

// Loads the package, and prints how that ends.
function load(root) {
  try {
    const { scheduler } = require(process.env.PACKAGE ?? root);
    scheduler.postTask(() => console.log('ran'));
  } catch ({ message, code }) {
    console.log(code);
    console.log(message);
  }
}

describe('the portable host', () => {
  for (const [title, change, expected] of [
    ['refuses a damaged file of WebAssembly with the code of all refusals',
      (text) => text.replace(/"AGFzbQ[^"]*"/, (found) => `"${found.slice(9)}`),
      new RegExp(`^${CODE}\n.*its WebAssembly cannot be compiled: .`)],
    ['names the file that is missing', undefined, /wasm\.js/],
  ]) {
    it(title, () => withFolder(async (folder) => {
      copyPackage(folder);
      const file = path.join(folder, 'dist', 'wasm.js');
      if (change === undefined) fs.rmSync(file);
      else fs.writeFileSync(file, change(fs.readFileSync(file, 'utf8')));
      const lines = await linesOf(load, { env: { PACKAGE: folder } });
      assert.match(lines.join('\n'), expected);
    }));
  }

  if (isDeno) {
    // Runs a program in a folder where the package is installed, without Deno's permissions. Not
    // by spawn() of node:child_process, with which Deno grants another Deno all of them.
    const runWithoutPermissions = (program, install) => withFolder(async (folder) => {
      const installed = path.join(folder, 'node_modules', 'uv-scheduler');
      const main = path.join(folder, 'main.mjs');
      fs.mkdirSync(path.dirname(installed), { recursive: true });
      install(installed);
      const dependencies = { 'uv-scheduler': '*' };
      fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ dependencies }));
      fs.writeFileSync(main, program);
      const args = ['run', '--no-prompt', '--no-lock', main];
      const command = new globalThis.Deno.Command(process.execPath, { args });
      const { code, stdout, stderr } = await command.output();
      return { code, stdout: String(Buffer.from(stdout)), stderr: String(Buffer.from(stderr)) };
    });

    it('needs neither environment variables nor files of Deno’s permissions', async () => {
      const program = "import { scheduler } from 'uv-scheduler';\n" +
        "import { createAdmission } from 'uv-scheduler/http';\n" +
        "scheduler.postTask(() => console.log('ran', typeof createAdmission().handler));\n";
      const found = await runWithoutPermissions(program, copyPackage);
      assert.deepEqual(found, { code: 0, stdout: 'ran function\n', stderr: '' });
    });

    // The packages that the other entry points load need permissions of their own.
    it('of a linked package names the permission that each entry point needs', async () => {
      const entries = ['', '/watch', '/http', '/testing', '/register'];
      // Deno loads only modules that it sees before it runs the program without a permission.
      const lines = entries.map((entry) => `await import('uv-scheduler${entry}').then(
        () => console.log('loaded'), ({ code, message }) => console.log(code, message));\n`);
      const { stdout } = await runWithoutPermissions(lines.join(''), (installed) => {
        fs.symlinkSync(ROOT, installed);
      });
      const found = stdout.trimEnd().split('\n');
      assert.equal(found.length, entries.length, stdout);
      for (const line of found) assert.match(line, new RegExp(`^${CODE} .*--allow-read`), stdout);
    });
  }

  if (!isNode) return;

  it('refuses a process in which WebAssembly is switched off', async () => {
    const { stdout } = await runProgram(load, { flags: ['--jitless'] });
    assert.match(stdout, new RegExp(`^${CODE}\n.*needs WebAssembly, which is switched off\\.\n$`));
  });

  it('runs where no code may be generated from strings', async () => {
    const flags = ['--disallow-code-generation-from-strings'];
    assert.deepEqual(await linesOf(load, { flags }), ['ran']);
  });

  it('throws an error with a code if its memory cannot grow, and ends', async () => {
    const lines = await linesOf((root) => {
      const { scheduler } = require(root);
      const seen = new Set();
      process.on('uncaughtException', ({ code }) => seen.add(code));
      process.on('exit', () => {
        process.exitCode = 0;
        console.log([...seen].join());
      });
      const failed = ({ code }) => seen.add(code);
      for (let i = 0; i < 200_000; i++) scheduler.postTask(() => {}).catch(failed);
    }, { flags: ['--wasm-max-mem-pages=24'] });
    assert.deepEqual(lines, ['ERR_UV_SCHEDULER_OUT_OF_MEMORY']);
  });

  for (const [first, second] of [['', 'dist/portable.js'], ['dist/portable.js', '']]) {
    it(`warns once beside the addon, with ${first || 'the addon'} first`, async () => {
      const { code, stdout, stderr } = await runProgram((root) => {
        const load = (file) => require(`${root}/${file}`);
        const { FIRST, SECOND } = process.env;
        const [one, other] = [load(FIRST), load(SECOND)];
        load(FIRST);
        console.log(one.scheduler === other.scheduler);
        one.scheduler.postTask(() => console.log('one'));
        other.scheduler.postTask(() => console.log('other'));
      }, { env: { FIRST: first, SECOND: second, UV_SCHEDULER_PORTABLE: '' } });
      assert.equal(code, 0);
      assert.deepEqual(stdout.trimEnd().split('\n').sort(), ['false', 'one', 'other']);
      assert.equal(stderr.match(/UV_SCHEDULER_TWO_HOSTS/g)?.length, 1, stderr);
    });
  }
});
