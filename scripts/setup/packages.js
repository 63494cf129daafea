'use strict';

// The packages of the binaries: one for each platform, made in npm/<platform>/ from the binary that
// lies there. The package itself lists them as optional dependencies, and npm installs the one that
// fits. The checkout does not list them, as npm could not install them before they are published.

const fs = require('node:fs');
const path = require('node:path');
const { PLATFORMS, platform } = require('../../lib/binary.js');
const { ROOT, SetupError } = require('./process');
const { readJson } = require('./npm');

const FOLDER = path.join(ROOT, 'npm');
const MANIFEST = path.join(ROOT, 'package.json');

const SHARED_FIELDS = ['version', 'license', 'author', 'homepage', 'bugs', 'engines'];

const LIBC = { gnu: ['glibc'], musl: ['musl'] };

const nameOf = (name) => `@uv-scheduler/binding-${name}`;
const binaryOf = (name) => `uv-scheduler.${name}.node`;
const folderOf = (name) => path.join(FOLDER, name);

function manifestOf(name) {
  const [os, cpu, abi] = name.split('-');
  const manifest = readJson(MANIFEST);
  const shared = SHARED_FIELDS.map((field) => [field, manifest[field]]);
  return {
    name: nameOf(name),
    description: `The binary of uv-scheduler for ${name}`,
    ...Object.fromEntries(shared),
    repository: { ...manifest.repository, directory: `npm/${name}` },
    type: 'commonjs',
    main: 'index.js',
    files: ['index.js', binaryOf(name)],
    os: [os],
    cpu: [cpu],
    ...(abi in LIBC ? { libc: LIBC[abi] } : {}),
    // Node cannot load a binary from the archive in which Yarn keeps packages.
    preferUnplugged: true,
    publishConfig: { access: 'public' },
  };
}

const indexOf = (name) => `'use strict';

// The path of the binary of uv-scheduler for ${name}. That package loads it.

const { join } = require('node:path');

exports.file = join(__dirname, '${binaryOf(name)}');
`;

const readmeOf = (name) => `# ${nameOf(name)}

The binary of [uv-scheduler](https://www.npmjs.com/package/uv-scheduler) for ${name}. npm installs it
with that package. It has no use of its own.
`;

// Makes the package of a platform around its binary.
function makePackage(name) {
  const folder = folderOf(name);
  const write = (file, text) => fs.writeFileSync(path.join(folder, file), text);
  write('package.json', `${JSON.stringify(manifestOf(name), null, 2)}\n`);
  write('index.js', indexOf(name));
  write('README.md', readmeOf(name));
}

// Copies the binary that the checkout runs to where the packages are made. Returns its platform.
function takeOwnBinary() {
  const name = platform();
  const built = path.join(ROOT, binaryOf(name));
  if (!fs.existsSync(built)) {
    throw new SetupError('The addon is not built. Build it with: npm run build');
  }
  fs.mkdirSync(folderOf(name), { recursive: true });
  fs.copyFileSync(built, path.join(folderOf(name), binaryOf(name)));
  return name;
}

// The platforms whose binaries are there.
function built() {
  return PLATFORMS.filter((name) => fs.existsSync(path.join(folderOf(name), binaryOf(name))));
}

// Writes the optional dependencies to package.json, or removes them.
function writeDependencies(names) {
  const manifest = readJson(MANIFEST);
  const { version } = manifest;
  delete manifest.optionalDependencies;
  if (names.length > 0) {
    const entries = names.map((name) => [nameOf(name), version]);
    manifest.optionalDependencies = Object.fromEntries(entries);
  }
  fs.writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}

module.exports = { FOLDER, built, folderOf, makePackage, nameOf, takeOwnBinary, writeDependencies };
