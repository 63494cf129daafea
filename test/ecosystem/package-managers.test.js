'use strict';

// The package as package managers install it: from a registry, where no compiler is to be found.
// Its programs then run.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT, assertOnEnds, run } = require('../helpers/loop.js');
const { constraintsOf } = require('../../lib/loading/load-errors.js');
const { refusal } = require('../helpers/refusals.js');
const { BUNDLERS, copyPrograms } = require('./bundlers');
const { ESM, MANAGERS } = require('./package-managers');
const { startRegistry } = require('./package-managers/registry.js');
const packed = require('../helpers/packed.js');

const { BINDING, MAIN, PLATFORM, manifestOf, tarballs } = packed;

// Another platform than this one.
const OTHER = PLATFORM === 'linux-arm64-musl' ? 'darwin-x64' : 'linux-arm64-musl';

// Package managers look optional peers up, and do not install them.
const PEERS = Object.keys(require('../../package.json').peerDependencies);

const HERE = { path: process.execPath };
const SLOW = 4 * LIMIT;
const RIGHT = { code: 0, signal: null, stdout: 'ub t0 uv bg\n', stderr: '' };

const PROGRAMS = ['program.cjs', 'program.mjs', 'worker.cjs', 'bundle.mjs'];

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
    await makeBundle();
  });

  // Makes a bundle with the package inside, which has to find the binary in the folder of a user:
  // pnpm and Yarn hide its package there.
  async function makeBundle() {
    const [esbuild] = BUNDLERS;
    const folder = path.join(root, 'bundled');
    packed.install(folder);
    copyPrograms(folder);
    const entry = path.join(folder, 'program.mjs');
    await esbuild.build({ entry, file: path.join(programs, 'bundle.mjs'), format: 'esm' });
    fs.rmSync(folder, { recursive: true });
  }

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
  });

  // Runs a package manager in the folder of a user.
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
      for (const name of PROGRAMS) {
        if (manager.runner === undefined) {
          await assertOnEnds(RIGHT, (node) => run(node, [name], options));
        } else {
          assert.deepEqual(await run(HERE, [...manager.runner, name], options), RIGHT, name);
        }
      }
    }).timeout(SLOW);
  }

  // Runs a program of a user whose package has no binary for this platform. Returns the error.
  async function runRefused(options, runner = []) {
    const { code, stdout, stderr } = await run(HERE, [...runner, 'program.cjs'], options);
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' });
    return stderr;
  }

  for (const manager of MANAGERS) {
    const { name, without } = manager;
    if (without === undefined) continue;
    it(`${name} with ${without} leaves out the binary, and the error says so`, async () => {
      const options = await install(manager, without);
      const { version } = manifestOf(tarballs([OTHER])[MAIN]);
      const what =
        `the package ${BINDING}, which contains the binary for this platform, is not installed.\n` +
        'npm leaves it out with --omit=optional, pnpm with --no-optional. npm 10 also does so ' +
        'if\npackage-lock.json lists only packages for other platforms. To add it there:\n' +
        `  npm install uv-scheduler@${version}\n`;
      const said = await runRefused(options);
      assert.ok(said.includes(refusal(what)), said);
      if (name !== 'npm') return;
      await manage(manager.program, ['install', `${MAIN}@${version}`], options);
      assert.deepEqual(await run(HERE, ['program.cjs'], options), RIGHT);
    }).timeout(SLOW);
  }

  // The setting of pnpm and Yarn for a platform.
  const architectures = (platform) => {
    const constraints = Object.entries(constraintsOf(platform));
    const members = constraints.map(([name, value]) => `${name}: [${value}]`);
    return `supportedArchitectures: { ${members.join(', ')} }`;
  };

  // The flags of npm for a platform.
  const flags = (platform) => {
    return Object.entries(constraintsOf(platform)).map(([name, value]) => `--${name}=${value}`);
  };

  for (const manager of MANAGERS) {
    const { name, program, architectures: file, runner } = manager;
    it(`${name}, for another platform: what the error says installs it for this one`, async () => {
      const options = file === undefined
        ? await install(manager, flags(OTHER))
        : await install(manager, [], { [file]: `${architectures(OTHER)}\n` });
      const said = await runRefused(options, runner);
      const what = `it was installed for ${OTHER}, and this is ${PLATFORM}.\n`;
      assert.ok(said.includes(refusal(what)), said);
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
      assert.deepEqual(await run(HERE, [...(runner ?? []), 'program.cjs'], options), RIGHT);
    }).timeout(SLOW);
  }

  it(`Yarn with Plug'n'Play runs ES modules by "type": "module" or by ${ESM}`, async () => {
    const manager = MANAGERS.find(({ runner }) => runner !== undefined);
    const settings = (url) => manager.settings(url).replace(ESM, '');
    const options = await install({ ...manager, settings });
    const start = () => run(HERE, [...manager.runner, 'program.mjs'], options);
    assert.match((await start()).stderr, /ERR_MODULE_NOT_FOUND.*'uv-scheduler'/);
    const file = path.join(options.cwd, 'package.json');
    const manifest = { ...JSON.parse(fs.readFileSync(file, 'utf8')), type: 'module' };
    fs.writeFileSync(file, JSON.stringify(manifest));
    await manage(manager.program, ['install'], options);
    assert.deepEqual(await start(), RIGHT);
  }).timeout(SLOW);
});
