'use strict';

// Installs pinned packages of Python's registry, some of which hold programs, in a virtual
// environment of the project.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, output, say, succeedsQuietly } = require('./process');
const system = require('./system');

const FOLDER = path.join(ROOT, 'target', 'python');

const failure = (what, reason) => new SetupError(`${what} could not be installed: ${reason}.
It takes the registry of Python packages.`);

// Makes a virtual environment `name` with pip and these packages ('name==version'), named `what` in
// messages. Returns its folder of programs and that of its modules.
function environment(name, what, packages) {
  const folder = path.join(FOLDER, name);
  const stamp = path.join(folder, 'packages.json');
  const wanted = JSON.stringify(packages);
  const programs = path.join(folder, 'bin');
  if (!fs.existsSync(stamp) || fs.readFileSync(stamp, 'utf8') !== wanted) {
    system.prepare('python');
    say(`installing ${[what, ...packages].join(' ')} (python3 -m venv, pip) …`);
    fs.rmSync(folder, { recursive: true, force: true });
    if (!succeedsQuietly('python3', ['-m', 'venv', folder])) {
      throw failure(what, 'the virtual environment could not be made');
    }
    const pip = ['-m', 'pip', 'install', '--quiet', '--only-binary=:all:', ...packages];
    const isInstalled =
      packages.length === 0 || succeedsQuietly(path.join(programs, 'python'), pip);
    if (!isInstalled) throw failure(what, 'pip failed');
    fs.writeFileSync(stamp, wanted);
  }
  const print = 'import sysconfig; print(sysconfig.get_path("purelib"))';
  return { programs, modules: output(path.join(programs, 'python'), ['-c', print]) };
}

module.exports = { environment };
