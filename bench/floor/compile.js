'use strict';

// Compiles the floor, a small addon in C, into a folder; floor.c describes what the addon does.

const { spawnSync } = require('node:child_process');
const path = require('node:path');

// Returns the path of the addon. If it cannot be compiled, prints the reason and returns null.
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
