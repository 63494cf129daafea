'use strict';

// The built addon as a file: it does not contain or link libuv.
// @host any

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

// The commands that list symbols, and libraries.
const [SYMBOLS, LIBRARIES] = process.platform === 'darwin'
  ? [['nm'], ['otool', '-L']]
  : [['readelf', '--wide', '--syms', '--dyn-syms'], ['readelf', '-d']];

describe('the built addon', () => {
  it('has no symbol of libuv, and is not linked with it', () => {
    assert.notDeepEqual(addons, []);
    // Windows has no such tools. Its linker resolves every symbol when the addon is built.
    const inspected = process.platform === 'win32' ? [] : addons;
    for (const addon of inspected) {
      // readelf also lists the names of source files.
      const lines = tool(...SYMBOLS, addon).split('\n').filter((line) => !/ FILE /.test(line));
      const symbols = lines.map((line) => line.trim().split(/\s+/).at(-1).replace(/^_/, ''));
      assert.ok(symbols.some((symbol) => symbol.startsWith('napi_')), `no symbols of ${addon}`);
      assert.deepEqual(symbols.filter((symbol) => symbol.startsWith('uv_')), [], addon);
      const libraries = tool(...LIBRARIES, addon);
      assert.match(libraries, /\blib(c|System|gcc_s)\b/);
      assert.doesNotMatch(libraries, /uv\.so|libuv/);
    }
  });
});
