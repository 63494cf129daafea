'use strict';

// Checks the tools of the Rust build. Set-up cannot install Rust and a C compiler: when one is
// missing or too old, the error names it and says how to get it. libclang, with which the build
// generates the bindings of libuv, and Rust's libraries for other targets are found or installed.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT, SetupError, output, runQuietly, say } = require('./process');
const { provide } = require('./system');

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
      '  curl --proto \'=https\' --tlsv1.2 -sSf https://sh.rustup.rs | sh\n' +
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

// The folders that the clang-sys crate searches on Linux.
const FOLDERS = [
  '/usr/local/llvm*/lib*', '/usr/local/lib*/*/*', '/usr/local/lib*/*', '/usr/local/lib*',
  '/usr/lib*/*/*', '/usr/lib*/*', '/usr/lib*',
];

// Returns files that match patterns of the shell, no dangling links. `IFS=` lets them have spaces.
function glob(patterns) {
  const list = 'IFS=; for pattern; do ls -dL $pattern; done; true';
  return (output('sh', ['-c', list, 'sh', ...patterns]) ?? '').split('\n').filter(Boolean);
}

// Returns the path of libclang, or undefined. LIBCLANG_PATH excludes all other places.
function findLibclang(env) {
  const named = env.LIBCLANG_PATH;
  if (named && fs.statSync(named, { throwIfNoEntry: false })?.isFile()) return named;
  const prefix = named ? null
    : output(env.LLVM_CONFIG_PATH || 'llvm-config', ['--prefix'], { env });
  const near = prefix ? ['bin', 'lib', 'lib64'].map((name) => path.join(prefix, name)) : [];
  const listed = `${env.LD_LIBRARY_PATH ?? ''}:${env.LIBRARY_PATH ?? ''}`.split(':');
  const folders = named ? [named] : [...near, ...listed.filter(Boolean), ...FOLDERS];
  // libclang-cpp, the C++ interface, is another library.
  return glob(folders.map((folder) => `${folder}/libclang[-.]*so*`))
    .find((file) => !path.basename(file).startsWith('libclang-cpp'));
}

// libclang needs clang's own stddef.h and similar headers, which its packages lack. GCC's headers
// work too, so they are named as a last resort.
function addHeaders(env, library) {
  if (env.BINDGEN_EXTRA_CLANG_ARGS !== undefined) return;
  const folder = path.dirname(fs.realpathSync(library));
  const places = [
    `${folder}/clang/*/include`, `${path.dirname(folder)}/lib/clang/*/include`,
    '/usr/lib/clang/*/include', '/usr/lib/llvm*/lib/clang/*/include',
  ];
  if (glob(places.map((place) => `${place}/stddef.h`)).length > 0) return;
  const include = output(env.CC || 'cc', ['-print-file-name=include'], { env });
  if (include) env.BINDGEN_EXTRA_CLANG_ARGS = `-idirafter ${include}`;
}

const LIBCLANG = {
  title: 'libclang, which generates the bindings of libuv when the addon is built,',
  packages: ['libclang1'],
  others: [
    '  Fedora  sudo dnf install clang-devel',
    '  Alpine  sudo apk add clang-dev',
    '  macOS   xcode-select --install   (or: brew install llvm)',
    'Without root, anywhere:',
    '  python3 -m venv ~/libclang && ~/libclang/bin/pip install libclang',
    '  export LIBCLANG_PATH=$(echo ~/libclang/lib/python3*/site-packages/clang/native)',
    'If it is installed in an unusual place, set LIBCLANG_PATH to the folder that holds it.',
  ],
};

// Makes sure that libclang is installed, and sets the variables in env that the build needs.
function prepareLibclang(env) {
  // On other systems (macOS, Windows) the build finds it itself, or reports an error.
  if (process.platform !== 'linux') return;
  const look = () => findLibclang(env);
  if (env.LIBCLANG_PATH && look() === undefined) {
    throw new SetupError(`LIBCLANG_PATH (${env.LIBCLANG_PATH}) holds no libclang library.`);
  }
  addHeaders(env, provide({ ...LIBCLANG, find: look }));
}

function checkLinters(env) {
  const isThere = (command) => output('cargo', [command, '--version'], { env }) !== null;
  const missing = ['fmt', 'clippy'].find((command) => !isThere(command));
  if (missing === undefined) return;
  throw new SetupError(
    `cargo ${missing} was not found. Install the linters:\n` +
      '  rustup  rustup component add rustfmt clippy\n' +
      '  Debian  sudo apt-get install rustfmt rust-clippy\n' +
      '  Fedora  sudo dnf install rustfmt clippy\n' +
      '  Alpine  sudo apk add rustfmt rust-clippy',
  );
}

// Makes sure that Rust's library for a target is installed.
function prepareRust(triple, env) {
  const folder = output('rustc', ['--print', 'target-libdir', '--target', triple], { env });
  if (folder !== null && fs.existsSync(folder)) return;
  if (output('rustup', ['--version'], { env }) === null) {
    throw new SetupError(
      `Rust's library for ${triple} was not found, and there is no rustup to install it:\n` +
        '  https://rustup.rs',
    );
  }
  say(`installing Rust's library for ${triple} (rustup target add) …`);
  runQuietly(`rustup could not install Rust's library for ${triple}`,
    'rustup', ['target', 'add', triple], { env });
}

// Returns the environment in which cargo builds what needs Rust alone.
function rustEnvironment() {
  const env = { ...process.env };
  // rustup adds this folder only to the PATH of new shells.
  const bin = path.join(env.CARGO_HOME || path.join(os.homedir(), '.cargo'), 'bin');
  if (output('cargo', ['--version'], { env }) === null && fs.existsSync(bin)) {
    env.PATH = `${env.PATH || ''}${path.delimiter}${bin}`;
  }
  checkRust(env);
  return env;
}

// The same for the addon, which also needs a C compiler and libclang.
function cargoEnvironment() {
  const env = rustEnvironment();
  checkCompiler(env);
  prepareLibclang(env);
  return env;
}

module.exports = { cargoEnvironment, checkLinters, prepareRust, rustEnvironment };
