'use strict';

// The built addon as a file: it does not contain or link libuv.

const assert = require('node:assert').strict;
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { ROOT } = require('./helpers-loop.js');

const addons = fs.readdirSync(ROOT).filter((name) => name.endsWith('.node'));
const tool = (name, ...args) => execFileSync(name, args, { cwd: ROOT, encoding: 'utf8' });

describe('the built addon', () => {
  it('exists', () => {
    assert.notDeepEqual(addons, []);
  });

  for (const addon of addons) {
    it(`${addon} neither defines nor imports a symbol of libuv`, () => {
      const tables = process.platform === 'linux' ? [['-D'], []] : [[]];
      const symbols = tables.flatMap((args) => {
        const lines = tool('nm', ...args, addon).split('\n');
        return lines.map((line) => line.trim().split(/\s+/).at(-1).replace(/^_/, ''));
      });
      assert.ok(symbols.some((name) => name.startsWith('napi_')), 'nm lists symbols');
      assert.deepEqual(symbols.filter((name) => name.startsWith('uv_')), []);
    });

    it(`${addon} is not linked with libuv`, () => {
      const [name, ...args] = process.platform === 'darwin' ? ['otool', '-L'] : ['readelf', '-d'];
      const libraries = tool(name, ...args, addon);
      assert.match(libraries, /\blib(c|System|gcc_s)\b/);
      assert.doesNotMatch(libraries, /uv\.so|libuv/);
    });
  }
});
