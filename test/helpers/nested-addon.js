'use strict';

// Compiles the addon of fixtures/nested, which runs the loop from inside JavaScript, once for this
// process. Owns the folder that holds it until the process ends.

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const SOURCE = path.join(__dirname, '..', 'fixtures', 'nested', 'nested.c');

// On Windows an addon is linked with a library of Node, which takes Node's own source code.
const canCompile = process.platform !== 'win32';

let addon;

// The path of the addon.
function nestedAddon() {
  if (addon !== undefined) return addon;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-nested-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  addon = path.join(folder, 'nested.node');
  const platform = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  execFileSync('cc', ['-shared', '-fPIC', ...platform, '-o', addon, SOURCE]);
  return addon;
}

module.exports = { canCompile, nestedAddon };
