'use strict';

// Finds libclang where the Rust build looks for it, and installs it on Debian and its derivatives.
// The build generates the libuv bindings with it.

const fs = require('node:fs');
const path = require('node:path');
const { SetupError, output } = require('./process');
const { provide } = require('./system');

// The names and folders that the clang-sys crate searches on Linux; * stands for one path segment.
const NAME = /^libclang(-[^/]*)?\.so(\..*)?$/;
const FOLDERS = [
  '/usr/local/llvm*/lib*', '/usr/local/lib*/*/*', '/usr/local/lib*/*', '/usr/local/lib*',
  '/usr/lib*/*/*', '/usr/lib*/*', '/usr/lib*',
];

function list(folder) {
  try {
    return fs.readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function expand(pattern) {
  return pattern.split('/').slice(1).reduce((folders, step) => {
    const start = step.replace('*', '');
    const matches = (name) => (step.includes('*') ? name.startsWith(start) : name === step);
    return folders.flatMap((folder) =>
      list(folder).filter(matches).map((name) => path.join(folder, name)));
  }, ['/']);
}

// libclang-cpp, the C++ interface, is another library. A dangling link does not count.
function libraryIn(folder) {
  const name = list(folder).find((entry) => NAME.test(entry)
    && !entry.startsWith('libclang-cpp') && fs.existsSync(path.join(folder, entry)));
  return name ? path.join(folder, name) : null;
}

const firstLibrary = (folders) => folders.map(libraryIn).find((found) => found !== null) ?? null;

// Returns the path of libclang, or null. If LIBCLANG_PATH (a file or a folder) is set, no other
// place is searched.
function find(env) {
  const named = env.LIBCLANG_PATH;
  if (named) {
    const isFile = fs.statSync(named, { throwIfNoEntry: false })?.isFile();
    return isFile ? named : libraryIn(named);
  }
  const prefix = output(env.LLVM_CONFIG_PATH || 'llvm-config', ['--prefix'], { env });
  const near = prefix ? ['bin', 'lib', 'lib64'].map((name) => path.join(prefix, name)) : [];
  const listed = [env.LD_LIBRARY_PATH, env.LIBRARY_PATH]
    .flatMap((value) => (value || '').split(':'))
    .filter(Boolean);
  return firstLibrary(near) || firstLibrary(listed) || firstLibrary(FOLDERS.flatMap(expand));
}

// libclang needs clang's own stddef.h and similar headers, which some of its packages lack. GCC's
// headers work too, so they are named as a last resort.
function addHeaders(env, library) {
  if (env.BINDGEN_EXTRA_CLANG_ARGS !== undefined) return;
  const folder = path.dirname(fs.realpathSync(library));
  const places = [`${folder}/clang/*/include`, `${path.dirname(folder)}/lib/clang/*/include`];
  places.push('/usr/lib/clang/*/include', '/usr/lib/llvm*/lib/clang/*/include');
  const has = (place) => fs.existsSync(path.join(place, 'stddef.h'));
  if (places.flatMap(expand).some(has)) return;
  const include = output(env.CC || 'cc', ['-print-file-name=include'], { env });
  if (include && has(include)) env.BINDGEN_EXTRA_CLANG_ARGS = `-idirafter ${include}`;
}

// Returns the smallest sufficient packages: the library and its headers, without the static
// libraries of libclang-dev. Their names contain the version in this release of the system.
function debianPackages() {
  const depends = output('apt-cache', ['depends', 'libclang-dev']) || '';
  const found = /libclang-(\d+)-dev/.exec(depends);
  return found ? [`libclang1-${found[1]}`, `libclang-common-${found[1]}-dev`] : null;
}

const LIBCLANG = {
  title: 'libclang, which generates the bindings of libuv when the addon is built,',
  packages: ['libclang-dev'],
  chosen: () => debianPackages() ?? ['libclang-dev'],
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
  const look = () => find(env) ?? undefined;
  if (env.LIBCLANG_PATH && look() === undefined) {
    throw new SetupError(`LIBCLANG_PATH (${env.LIBCLANG_PATH}) holds no libclang library.`);
  }
  addHeaders(env, provide({ ...LIBCLANG, find: look }));
}

module.exports = { prepare };
