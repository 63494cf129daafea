'use strict';

// The packages of the binaries: one for each platform, made in npm/<platform>/ around the binary.
// The package itself lists them as optional dependencies, and npm installs the one that fits. The
// checkout does not list them, as npm could not install them before they are published.

const fs = require('node:fs');
const path = require('node:path');
const { PLATFORMS, fileOf, packageOf, platform } = require('../../lib/loading/binary.js');
const { constraintsOf } = require('../../lib/loading/load-errors.js');
const { sourcesHash } = require('./addon');
const { npmCommand, readJson } = require('./npm');
const { ROOT, SetupError, checkName, hasText, succeeds } = require('./process');

const FOLDER = path.join(ROOT, 'npm');
const MANIFEST = path.join(ROOT, 'package.json');

const SHARED_FIELDS = ['version', 'license', 'author', 'homepage', 'bugs', 'engines'];

const folderOf = (name) => path.join(FOLDER, name);
const binaryOf = (name) => path.join(folderOf(name), fileOf(name));

// Says which sources the binary beside it was built from. It is not published.
const stampOf = (name) => path.join(folderOf(name), 'sources');

function manifestOf(name) {
  const manifest = readJson(MANIFEST);
  const constraints = Object.entries(constraintsOf(name)).map(([field, value]) => [field, [value]]);
  return {
    name: packageOf(name),
    description: `The binary of uv-scheduler for ${name}`,
    ...Object.fromEntries(SHARED_FIELDS.map((field) => [field, manifest[field]])),
    repository: { ...manifest.repository, directory: `npm/${name}` },
    type: 'commonjs',
    main: 'index.js',
    exports: {
      '.': { webpack: './index.webpack.mjs', default: './index.js' },
      './package.json': './package.json',
    },
    files: ['index.js', 'index.webpack.mjs', fileOf(name)],
    ...Object.fromEntries(constraints),
    // Node cannot load a binary from the archive in which Yarn keeps packages.
    preferUnplugged: true,
    publishConfig: { access: 'public' },
  };
}

const indexOf = (name) => `'use strict';

// The path of the binary of uv-scheduler for ${name}. That package loads it.

const { join } = require('node:path');

exports.file = join(__dirname, '${fileOf(name)}');
`;

// Next.js gives a URL to which no file belongs. The package then looks elsewhere.
const webpackIndexOf = (name) => `// The path of the binary of uv-scheduler for ${name}, for
// webpack, which copies a file whose URL it finds to where it writes the bundle.

import { fileURLToPath } from 'node:url';

export const file = fileURLToPath(new URL('./${fileOf(name)}', import.meta.url));
`;

const readmeOf = (name) => `# ${packageOf(name)}

The binary of [uv-scheduler](https://www.npmjs.com/package/uv-scheduler) for ${name}. npm installs it
with that package. It has no use of its own.
`;

// Makes the package of a platform around its binary.
function makePackage(name) {
  const folder = folderOf(name);
  const write = (file, text) => fs.writeFileSync(path.join(folder, file), text);
  write('package.json', `${JSON.stringify(manifestOf(name), null, 2)}\n`);
  write('index.js', indexOf(name));
  write('index.webpack.mjs', webpackIndexOf(name));
  write('README.md', readmeOf(name));
  fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
}

// Puts a binary that was built from the sources with this hash where its package is made. Returns
// its place there.
function addBinary(name, built, sources) {
  fs.cpSync(built, binaryOf(name));
  fs.writeFileSync(stampOf(name), sources);
  return binaryOf(name);
}

// Does so with the binary of the checkout, which must be current, unless there is one already: that
// of `npm run build -- --all` runs on older systems.
function addOwnBinary() {
  const name = platform();
  if (built().includes(name)) return;
  addBinary(name, path.join(ROOT, fileOf(name)), sourcesHash());
}

// The platforms whose binaries were built from the current sources.
function built() {
  const current = sourcesHash();
  return PLATFORMS
    .filter((name) => fs.existsSync(binaryOf(name)) && hasText(stampOf(name), current));
}

// Returns the binary in npm/<platform>/.
function chooseBinary(name) {
  checkName('platform', name, PLATFORMS);
  const file = binaryOf(name);
  if (fs.existsSync(file)) return file;
  throw new SetupError(`${file} is not there. Build it with: npm run build -- --only ${name}`);
}

// Writes the optional dependencies to package.json, or removes them.
function writeDependencies(names) {
  const manifest = readJson(MANIFEST);
  const entries = names.map((name) => [packageOf(name), manifest.version]);
  delete manifest.optionalDependencies;
  if (names.length > 0) manifest.optionalDependencies = Object.fromEntries(entries);
  fs.writeFileSync(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}

// Packs the package of a folder into another folder. Returns true on success. npm does not run the
// script `postpack` if it fails.
function pack(folder, target) {
  const [command, ...args] = npmCommand('pack', '--silent', '--pack-destination', target);
  try {
    return succeeds(command, args, { cwd: folder });
  } finally {
    writeDependencies([]);
  }
}

module.exports = {
  addBinary, addOwnBinary, binaryOf, built, chooseBinary, folderOf, makePackage, pack,
  writeDependencies,
};
