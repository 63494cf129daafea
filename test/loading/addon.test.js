'use strict';

// The built addon as a file: it does not contain or link libuv.

const assert = require('node:assert').strict;
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { ROOT } = require('../helpers/programs.js');

// The one that the tests load may be for another processor than the tools, of which readelf knows
// all.
const loaded = process.env.UV_SCHEDULER_BINARY;
const here = () => fs.readdirSync(ROOT).filter((name) => name.endsWith('.node'));
const addons = loaded ? [loaded] : here();

const tool = (name, ...args) => execFileSync(name, args, { cwd: ROOT, encoding: 'utf8' });

describe('the built addon', () => {
  it('exists', () => {
    assert.notDeepEqual(addons, []);
  });

  // Windows has no such tools. Its linker resolves every symbol when the addon is built.
  const inspected = process.platform === 'win32' ? [] : addons;
  for (const addon of inspected) {
    it(`${addon} neither defines nor imports a symbol of libuv`, () => {
      const [name, ...args] = process.platform === 'darwin'
        ? ['nm']
        : ['readelf', '--wide', '--syms', '--dyn-syms'];
      // readelf also lists the names of source files.
      const lines = tool(name, ...args, addon).split('\n').filter((line) => !/ FILE /.test(line));
      const symbols = lines.map((line) => line.trim().split(/\s+/).at(-1).replace(/^_/, ''));
      assert.ok(symbols.some((symbol) => symbol.startsWith('napi_')), `${name} lists symbols`);
      assert.deepEqual(symbols.filter((symbol) => symbol.startsWith('uv_')), []);
    });

    it(`${addon} is not linked with libuv`, () => {
      const [name, ...args] = process.platform === 'darwin' ? ['otool', '-L'] : ['readelf', '-d'];
      const libraries = tool(name, ...args, addon);
      assert.match(libraries, /\blib(c|System|gcc_s)\b/);
      assert.doesNotMatch(libraries, /uv\.so|libuv/);
    });
  }
});
