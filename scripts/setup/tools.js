'use strict';

// Checks the tools that set-up cannot install itself: Rust and a C compiler. When one is missing
// or too old, the error names it and says how to get it. It installs nothing.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { satisfies } = require('./engines');
const { ROOT, SetupError, output } = require('./process');

// The fallback if Cargo.toml names no version.
const MIN_RUST = '1.88';

const RUSTUP = 'curl --proto \'=https\' --tlsv1.2 -sSf https://sh.rustup.rs | sh';

// rustup adds ~/.cargo/bin only to the PATH of new shells.
function addCargoToPath(env) {
  const cargoHome = env.CARGO_HOME || path.join(os.homedir(), '.cargo');
  const bin = path.join(cargoHome, 'bin');
  if (output('cargo', ['--version'], { env }) === null && fs.existsSync(bin)) {
    env.PATH = `${env.PATH || ''}${path.delimiter}${bin}`;
  }
}

function minimumRust() {
  const manifest = fs.readFileSync(path.join(ROOT, 'Cargo.toml'), 'utf8');
  const found = /^rust-version\s*=\s*"([\d.]+)"/m.exec(manifest);
  return found ? found[1] : MIN_RUST;
}

function checkRust(env) {
  const minimum = minimumRust();
  const how =
    `Install it with rustup (https://rustup.rs):\n  ${RUSTUP}\n` +
    'or, where the system\'s own package is new enough:\n' +
    '  Fedora  sudo dnf install cargo rustfmt clippy\n' +
    '  Alpine  sudo apk add cargo rustfmt rust-clippy\n' +
    '  macOS   brew install rust';
  if (output('cargo', ['--version'], { env }) === null) {
    throw new SetupError(
      `cargo was not found: Rust ${minimum} or newer is needed to build the addon.\n${how}`,
    );
  }
  const found = /\d+\.\d+\.\d+/.exec(output('rustc', ['--version'], { env }) || '');
  if (!found || !satisfies(found[0], `>=${minimum}`)) {
    const version = found ? `this is Rust ${found[0]}` : 'rustc was not found';
    throw new SetupError(
      `Rust ${minimum} or newer is needed to build the addon; ${version}.\n` +
        `With rustup: rustup update stable\nOtherwise: ${how}`,
    );
  }
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
