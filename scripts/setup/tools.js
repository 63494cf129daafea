'use strict';

// Checks the tools that set-up cannot install itself: Rust and a C compiler. When one is missing
// or too old, the error names it and says how to get it. It installs nothing.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, SetupError, output } = require('./process');

const RUSTUP = 'curl --proto \'=https\' --tlsv1.2 -sSf https://sh.rustup.rs | sh';

// rustup adds ~/.cargo/bin only to the PATH of new shells.
function addCargoToPath(env) {
  const cargoHome = env.CARGO_HOME || path.join(os.homedir(), '.cargo');
  const bin = path.join(cargoHome, 'bin');
  if (output('cargo', ['--version'], { env }) === null && fs.existsSync(bin)) {
    env.PATH = `${env.PATH || ''}${path.delimiter}${bin}`;
  }
}

function checkRust(env) {
  const manifest = fs.readFileSync(path.join(ROOT, 'Cargo.toml'), 'utf8');
  const [, minimum] = /^rust-version\s*=\s*"([\d.]+)"/m.exec(manifest);
  const missing = ['cargo', 'rustc'].find((name) => output(name, ['--version'], { env }) === null);
  const [version] = /\d+\.\d+\.\d+/.exec(output('rustc', ['--version'], { env })) ?? [];
  const isNew = version?.localeCompare(minimum, 'en', { numeric: true }) >= 0;
  if (missing === undefined && isNew) return;
  const reason = missing === undefined ? `this is Rust ${version}` : `${missing} was not found`;
  throw new SetupError(
    `Rust ${minimum} or newer is needed to build the addon; ${reason}.\n` +
      `With rustup: rustup update stable\nOtherwise install rustup (https://rustup.rs):\n` +
      `  ${RUSTUP}\n` +
      'or, where the system\'s own package is new enough:\n' +
      '  Fedora  sudo dnf install cargo rustfmt clippy\n' +
      '  Alpine  sudo apk add cargo rustfmt rust-clippy\n' +
      '  macOS   brew install rust',
  );
}

// Only a real compilation shows whether the C library's headers are installed, too.
function checkCompiler(env) {
  if (process.platform === 'win32') return;
  const cc = env.CC || 'cc';
  const program = '#include <stdio.h>\nint main(void) { return 0; }\n';
  const args = ['-x', 'c', '-fsyntax-only', '-'];
  const options = { env, input: program, stdio: ['pipe', 'pipe', 'ignore'] };
  if (output(cc, args, options) !== null) return;
  throw new SetupError(
    `No working C compiler: "${cc}" is missing or cannot compile a program that includes\n` +
      'stdio.h. Install one:\n' +
      '  Debian  sudo apt-get install gcc libc6-dev\n' +
      '  Fedora  sudo dnf install gcc glibc-devel\n' +
      '  Alpine  sudo apk add gcc musl-dev\n' +
      '  macOS   xcode-select --install',
  );
}

function checkLinters(env) {
  for (const command of ['fmt', 'clippy']) {
    if (output('cargo', [command, '--version'], { env }) === null) {
      throw new SetupError(
        `cargo ${command} was not found. Install the linters:\n` +
          '  rustup  rustup component add rustfmt clippy\n' +
          '  Debian  sudo apt-get install rustfmt rust-clippy\n' +
          '  Fedora  sudo dnf install rustfmt clippy\n' +
          '  Alpine  sudo apk add rustfmt rust-clippy',
      );
    }
  }
}

module.exports = { addCargoToPath, checkRust, checkCompiler, checkLinters };
