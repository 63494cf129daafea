'use strict';

// Installs pinned packages of Python in virtual environments of the project. Some hold programs.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, hasText, output, runQuietly, say } = require('./process');
const system = require('./system');

// Makes a virtual environment `name` with pip and these packages ('name==version'), named `what` in
// messages. Returns its folder of programs and that of its modules.
function environment(name, what, packages) {
  const folder = path.join(ROOT, 'target', 'python', name);
  const stamp = path.join(folder, 'packages.json');
  const wanted = JSON.stringify(packages);
  const programs = path.join(folder, 'bin');
  if (!hasText(stamp, wanted)) {
    system.prepare('python');
    say(`installing ${[what, ...packages].join(' ')} (python3 -m venv, pip) …`);
    fs.rmSync(folder, { recursive: true, force: true });
    const failure = (reason) =>
      `${what} could not be installed: ${reason}.\nIt takes the registry of Python packages.`;
    runQuietly(failure('the virtual environment could not be made'),
      'python3', ['-m', 'venv', folder]);
    if (packages.length > 0) {
      runQuietly(failure('pip failed'), path.join(programs, 'python'),
        ['-m', 'pip', 'install', '--quiet', '--only-binary=:all:', ...packages]);
    }
    fs.writeFileSync(stamp, wanted);
  }
  const print = 'import sysconfig; print(sysconfig.get_path("purelib"))';
  return { programs, modules: output(path.join(programs, 'python'), ['-c', print]) };
}

module.exports = { environment };
