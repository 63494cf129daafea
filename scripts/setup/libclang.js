'use strict';

// Finds libclang where the Rust build looks for it, and installs it on Debian and its derivatives.
// The build generates the libuv bindings with it.

const fs = require('node:fs');
const path = require('node:path');
const { SetupError, output } = require('./process');
const { provide } = require('./system');

// The folders that the clang-sys crate searches on Linux.
const FOLDERS = [
  '/usr/local/llvm*/lib*', '/usr/local/lib*/*/*', '/usr/local/lib*/*', '/usr/local/lib*',
  '/usr/lib*/*/*', '/usr/lib*/*', '/usr/lib*',
];

// Returns the files that match patterns of the shell, without dangling links. `IFS=` lets patterns
// have spaces.
function glob(patterns) {
  const list = 'IFS=; for pattern; do ls -dL $pattern; done; true';
  return (output('sh', ['-c', list, 'sh', ...patterns]) ?? '').split('\n').filter(Boolean);
}

// Returns the path of libclang, or undefined. If LIBCLANG_PATH (a file or a folder) is set, no
// other place is searched.
function find(env) {
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
function prepare(env) {
  // On other systems (macOS, Windows) the build finds it itself, or reports an error.
  if (process.platform !== 'linux') return;
  const look = () => find(env);
  if (env.LIBCLANG_PATH && look() === undefined) {
    throw new SetupError(`LIBCLANG_PATH (${env.LIBCLANG_PATH}) holds no libclang library.`);
  }
  addHeaders(env, provide({ ...LIBCLANG, find: look }));
}

module.exports = { prepare };
