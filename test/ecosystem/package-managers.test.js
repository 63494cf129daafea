'use strict';

// The package as package managers install it: from a registry, where no compiler is to be found.
// Its programs then run.
// @lane slow

const assert = require('node:assert/strict');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { finder } = require('../helpers/installed.js');
const { LIMIT, assertOnEnds, endNodes, run } = require('../helpers/loop.js');
const { constraintsOf } = require('../../lib/loading/load-errors.js');
const { npmCommand } = require('../../scripts/setup/npm.js');
const { warning } = require('../helpers/refusals.js');
const { BUNDLERS, copyPrograms } = require('./bundlers');
const packed = require('../helpers/packed.js');

const { BINARY, BINDING, MAIN, PLATFORM, manifestOf, tarballs } = packed;
const find = finder('package-managers');

// Another platform than this one.
const OTHER = PLATFORM === 'linux-arm64-musl' ? 'darwin-x64' : 'linux-arm64-musl';

// Package managers look optional peers up, and do not install them.
const PEERS = Object.keys(require('../../package.json').peerDependencies);

const HERE = { path: process.execPath };
const SLOW = 4 * LIMIT;
const RIGHT = { code: 0, signal: null, stdout: 'ub t0 uv bg\n', stderr: '' };

const PROGRAMS = ['program.cjs', 'program.mjs', 'worker.cjs', 'bundle.mjs'];

// The path of the environment's npm: a test runs it where `npm` itself is not on the PATH.
function findNpm() {
  const cli = npmCommand().at(-1);
  if (path.isAbsolute(cli)) return cli;
  const folders = process.env.PATH.split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, cli)).find(fs.existsSync);
  if (found === undefined) throw new Error('npm, which the tests need, is not on the PATH.');
  return fs.realpathSync(found);
}

// pnpm 12 is a native program, in a package that is named after its platform.
const libc = process.platform === 'linux' && fs.existsSync('/etc/alpine-release') ? '-musl' : '';
find('pnpm 12', '@pnpm', `exe.${process.platform}-${process.arch}${libc}`);

// Settings with which Yarn uses a registry without TLS, and nothing outside of the folder.
const yarnSettings = (registry, nodeLinker, more = '') => `
npmRegistryServer: ${registry}
unsafeHttpWhitelist: ['127.0.0.1']
enableGlobalCache: false
enableTelemetry: false
globalFolder: ./.yarn/global
nodeLinker: ${nodeLinker}
${more}
`;

// Else Yarn looks for the packages that ES modules import only if package.json says that the
// program is one.
const ESM = 'pnpEnableEsmLoader: true';

const yarn = find('Yarn', '@yarnpkg', 'cli-dist', 'bin', 'yarn.js');

const OF_PNPM = { add: ['add'], without: ['--no-optional'], architectures: 'pnpm-workspace.yaml' };
const OF_YARN = { program: yarn, add: ['add'], architectures: '.yarnrc.yml' };

// `add`: the arguments that install a package. `without`: those that leave out optional ones.
// `settings`: those of Yarn. `runner`: what starts a program, if not Node itself does.
// `architectures`: the file with the setting `supportedArchitectures`; npm has flags instead.
const MANAGERS = [
  { name: 'npm', program: findNpm(), add: ['install'], without: ['--omit=optional'] },
  { name: 'pnpm 10', program: find('pnpm 10', 'pnpm', 'bin', 'pnpm.cjs'), ...OF_PNPM },
  { name: 'pnpm 12', program: find('pnpm 12', 'pnpm12', 'bin', 'pnpm.mjs'), ...OF_PNPM },
  {
    name: 'Yarn with node_modules', ...OF_YARN,
    settings: (registry) => yarnSettings(registry, 'node-modules'),
  },
  {
    name: "Yarn with Plug'n'Play", ...OF_YARN,
    settings: (registry) => yarnSettings(registry, 'pnp', ESM),
    runner: [yarn, 'node'],
  },
];

// Package managers may refuse what was published only lately.
const PUBLISHED = '2024-01-01T00:00:00.000Z';

// The metadata with which a registry answers for a package.
function metadataOf(name, tarball, url) {
  const manifest = manifestOf(tarball);
  const content = fs.readFileSync(tarball);
  const hash = (algorithm, encoding) => createHash(algorithm).update(content).digest(encoding);
  const { version } = manifest;
  const dist = {
    tarball: `${url}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
    shasum: hash('sha1', 'hex'),
    integrity: `sha512-${hash('sha512', 'base64')}`,
  };
  return {
    name,
    'dist-tags': { latest: version },
    time: { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
  };
}

// Starts a registry on this machine that has these packages: tarballs by their names.
async function startRegistry(packages) {
  const unknown = [];
  const server = http.createServer((request, response) => {
    const place = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1);
    const [name, file] = place.split('/-/');
    if (!Object.hasOwn(packages, name)) {
      unknown.push(place);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    } else if (file === undefined) {
      const metadata = metadataOf(name, packages[name], url);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    } else {
      response.setHeader('content-type', 'application/octet-stream');
      response.end(fs.readFileSync(packages[name]));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url, unknown, stop };
}

describe('a package manager installs the package, and it runs without a compiler:', () => {
  let root;
  let bin;
  let registry;
  let programs;

  before(async function () {
    this.timeout(SLOW);
    root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-install-')));
    bin = path.join(root, 'bin');
    fs.mkdirSync(bin);
    fs.symlinkSync(process.execPath, path.join(bin, 'node'));
    if (process.platform !== 'win32') fs.symlinkSync('/bin/sh', path.join(bin, 'sh'));
    registry = await startRegistry(tarballs([OTHER]));
    programs = path.join(root, 'programs');
    fs.mkdirSync(programs);
    copyPrograms(programs);
    const worker = "new (require('node:worker_threads').Worker)(require.resolve('./program.cjs'));";
    fs.writeFileSync(path.join(programs, 'worker.cjs'), worker);
    // A bundle with the package inside has to find the binary in the folder of a user: pnpm and
    // Yarn hide its package there.
    const [esbuild] = BUNDLERS;
    const folder = path.join(root, 'bundled');
    packed.install(folder);
    copyPrograms(folder);
    const entry = path.join(folder, 'program.mjs');
    await esbuild.build({ entry, file: path.join(programs, 'bundle.mjs'), format: 'esm' });
    fs.rmSync(folder, { recursive: true });
  });

  after(async () => {
    await registry?.stop();
    fs.rmSync(root, { recursive: true, force: true });
  });

  // Nothing of the user's settings or of the npm that runs the tests, no other registry, and only
  // Node and a shell on the PATH.
  const environment = (folder) => ({
    PATH: bin,
    HOME: path.join(folder, 'home'),
    USERPROFILE: path.join(folder, 'home'),
    CI: '1',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1',
    npm_config_audit: 'false',
    npm_config_fetch_retries: '0',
    npm_config_update_notifier: 'false',
    // The loader of ES modules that Yarn starts Node with is experimental.
    NODE_NO_WARNINGS: '1',
    // Without the addon, the package throws.
    UV_SCHEDULER_PORTABLE: '0',
  });

  // In the folder of a user.
  async function manage(program, args, options) {
    const { code, stdout, stderr } = await run(HERE, [program, ...args], options);
    assert.equal(code, 0, stdout + stderr);
  }

  // Installs the package into a new folder, and copies the programs to it.
  async function install({ program, add, settings }, more = [], files = {}) {
    const folder = fs.mkdtempSync(path.join(root, 'user-'));
    const env = environment(folder);
    const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
    fs.mkdirSync(env.HOME);
    write('package.json', '{ "name": "user", "version": "1.0.0", "private": true }\n');
    // Yarn takes it for a project of its own.
    write('yarn.lock', '');
    write('.npmrc', `registry=${registry.url}/\n`);
    if (settings !== undefined) write('.yarnrc.yml', settings(registry.url));
    for (const [name, text] of Object.entries(files)) {
      fs.appendFileSync(path.join(folder, name), text);
    }
    await manage(program, [...add, ...more, MAIN], { cwd: folder, env });
    assert.deepEqual(registry.unknown.filter((name) => !PEERS.includes(name)), []);
    fs.cpSync(programs, folder, { recursive: true });
    return { cwd: folder, env };
  }

  for (const manager of MANAGERS) {
    it(`${manager.name}`, async () => {
      const options = await install(manager);
      const { runner = [] } = manager;
      const on = runner.length === 0 ? endNodes : [HERE];
      for (const name of PROGRAMS) {
        await assertOnEnds(RIGHT, (node) => run(node, [...runner, name], options), { on });
      }
    }).timeout(SLOW);
  }

  // The setting of pnpm and Yarn for a platform.
  const architectures = (platform) => {
    const members = Object.entries(constraintsOf(platform)).map(([name, value]) =>
      `${name}: [${value}]`);
    return `supportedArchitectures: { ${members.join(', ')} }`;
  };

  // The flags of npm for a platform.
  const flags = (platform) =>
    Object.entries(constraintsOf(platform)).map(([name, value]) => `--${name}=${value}`);

  for (const manager of MANAGERS) {
    const { name, program, without, architectures: file, runner = [] } = manager;
    const assertRuns = async (options) =>
      assert.deepEqual(await run(HERE, [...runner, 'program.cjs'], options), RIGHT);

    // Asserts that the program of a user whose package has no binary for this platform runs.
    // Returns the warning.
    async function assertWarns({ env, ...options }, what) {
      const warned = { ...env, NODE_NO_WARNINGS: '', UV_SCHEDULER_PORTABLE: '' };
      const { code, stderr } =
        await run(HERE, [...runner, 'program.cjs'], { ...options, env: warned });
      assert.equal(code, 0);
      assert.ok(stderr.includes(warning(what, BINARY)), stderr);
      return stderr;
    }

    if (without !== undefined) {
      it(`${name} with ${without} leaves out the binary, and a warning says so`, async () => {
        const options = await install(manager, without);
        const what = `the package ${BINDING}, which contains the binary for this platform, is not `;
        const said = await assertWarns(options, what);
        if (name !== 'npm') return;
        const [, wanted] = /^ {2}npm install (uv-scheduler@.*)$/m.exec(said);
        await manage(program, ['install', wanted], options);
        await assertRuns(options);
      }).timeout(SLOW);
    }

    it(`${name}, for another platform: what the warning says installs it here`, async () => {
      const options = file === undefined
        ? await install(manager, flags(OTHER))
        : await install(manager, [], { [file]: `${architectures(OTHER)}\n` });
      const what = `it was installed for ${OTHER}, and this is ${PLATFORM}.\n`;
      const said = await assertWarns(options, what);
      if (file === undefined) {
        assert.ok(said.includes(`  npm         npm install ${flags(PLATFORM).join(' ')}\n`), said);
        await manage(program, ['install', ...flags(PLATFORM)], options);
      } else {
        const lines = `  pnpm, Yarn  ${architectures(PLATFORM)}\n              in pnpm-work`;
        assert.ok(said.includes(lines), said);
        const settings = path.join(options.cwd, file);
        const text = fs.readFileSync(settings, 'utf8');
        fs.writeFileSync(settings, text.replace(architectures(OTHER), architectures(PLATFORM)));
        await manage(program, ['install'], options);
      }
      await assertRuns(options);
    }).timeout(SLOW);
  }
});
