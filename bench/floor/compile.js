'use strict';

// Compiles the floor, a small addon in C, into a folder. Owns the call of the compiler; what the
// addon does is told in floor.c.

const { spawnSync } = require('node:child_process');
const path = require('node:path');

// Returns the path of the addon, or null and says why where it cannot be compiled.
function compileFloor(folder, say) {
  const addon = path.join(folder, 'floor.node');
  const platform = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const args = ['-O2', '-shared', '-fPIC', ...platform, '-o', addon];
  args.push(path.join(__dirname, 'floor.c'));
  const { error, status, stderr } = spawnSync(process.env.CC || 'cc', args, { encoding: 'utf8' });
  if (status === 0) return addon;
  say(`no floor: it could not be compiled (${error?.message ?? stderr.trim()})`);
  return null;
}

module.exports = { compileFloor };
