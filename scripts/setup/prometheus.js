'use strict';

// Finds Prometheus and promtool. On Debian and its derivatives it unpacks the package that has them
// if they are missing.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output, say } = require('./process');
const { refusal, unpack } = require('./debian');

const FOLDER = path.join(ROOT, 'target', 'prometheus');
const PROGRAMS = ['prometheus', 'promtool'];
const BINARIES = path.join('usr', 'bin');

const isThere = (program) => output(program, ['--version']) !== null;

// Both programs in a folder, or as the system finds them; undefined if one is missing.
function programs(folder = '') {
  const found = PROGRAMS.map((name) => [name, path.join(folder, name)]);
  return found.every(([, program]) => isThere(program)) ? Object.fromEntries(found) : undefined;
}

function help(reason) {
  return new SetupError(
    `Prometheus was not found, and ${reason}.\n` +
      'Install prometheus and promtool, then run the same command again:\n' +
      '  Debian  sudo apt-get install prometheus   (Ubuntu too)\n' +
      '  macOS   brew install prometheus\n' +
      'Others: https://prometheus.io/download',
  );
}

// Returns the paths of `prometheus` and `promtool`.
function prepare() {
  const found = programs() ?? programs(path.join(FOLDER, BINARIES));
  if (found !== undefined) return found;
  const reason = refusal({ mustBeRoot: false });
  if (reason !== null) throw help(reason);
  say('unpacking Prometheus (apt-get download prometheus) …');
  fs.rmSync(FOLDER, { recursive: true, force: true });
  fs.mkdirSync(FOLDER, { recursive: true });
  if (!unpack('prometheus', FOLDER)) {
    throw help('apt-get could not download it; its own message is above');
  }
  const unpacked = programs(path.join(FOLDER, BINARIES));
  if (unpacked === undefined) throw help('the package that apt-get downloaded does not run');
  return unpacked;
}

module.exports = { prepare };
