'use strict';

// The packages that npm packs and publishes: the files of the tarballs, and the refusals before.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { LIMIT, ROOT } = require('../helpers/programs.js');
const { PLATFORMS } = require('../../lib/loading/binary.js');
const bundle = require('../../scripts/setup/bundle.js');
const packed = require('../helpers/packed.js');
const { BINARY, BINDING, MAIN, PLATFORM } = packed;

// Every path that a manifest's `exports` or `imports` lead to.
function targets(exported) {
  if (typeof exported === 'string') return [exported];
  return Object.values(exported).flatMap(targets);
}

describe('the tarball of', () => {
  // Asserts that everything the manifest names is there, and nothing else but `more`.
  function assertFiles(name, more) {
    const tarball = packed.tarballs()[name];
    const files = packed.filesOf(tarball);
    const { main, types, exports: exported, imports = {} } = packed.manifestOf(tarball);
    const all = [main, types, ...targets(exported), ...targets(imports)];
    const named = all.filter((file) => file !== undefined);
    const expected = new Set(named.map((file) => path.posix.normalize(file)));
    for (const file of ['package.json', 'README.md', ...more]) expected.add(file);
    assert.deepEqual(files.sort(), [...expected].sort());
  }

  it('the package has what package.json names, and neither tests nor a binary', () => {
    const names = 'README background fairness frameworks guard guide overload production ' +
      'reference watching work';
    const pages = names.split(' ').map((name) => `${name}.md`);
    const pictures = ['fairness-latency.svg', 'scheduler-page.png', 'trace.png'];
    const documents = [...pages, ...pictures].map((name) => `docs/${name}`);
    const parts = ['guarding', 'url-pattern', 'wasm', 'watching'];
    const internal = parts.map((each) => `dist/${each}.js`);
    const others = [...internal, 'task-priority.d.ts'];
    assertFiles(MAIN, ['CHANGELOG.md', 'LICENSE', ...others, ...documents]);
  });

  it('the package needs the binary and nothing else', () => {
    const { version, ...manifest } = packed.manifestOf(packed.tarballs()[MAIN]);
    assert.equal(manifest.dependencies, undefined);
    for (const name of Object.keys(manifest.peerDependencies)) {
      assert.deepEqual(manifest.peerDependenciesMeta[name], { optional: true });
    }
    assert.deepEqual(manifest.optionalDependencies, { [BINDING]: version });
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) {
      assert.equal(manifest.scripts[name], undefined);
    }
  });

  it('the binary has the binary and what finds it', () => {
    assertFiles(BINDING, [BINARY, 'LICENSE']);
    const main = packed.manifestOf(packed.tarballs()[MAIN]);
    const manifest = packed.manifestOf(packed.tarballs()[BINDING]);
    assert.equal(manifest.version, main.version);
    assert.deepEqual(manifest.engines, main.engines);
    const found = [manifest.os, manifest.cpu].flat();
    assert.deepEqual(found, [process.platform, process.arch]);
    for (const field of ['dependencies', 'optionalDependencies', 'scripts']) {
      assert.equal(manifest[field], undefined);
    }
  });
});

describe('docs/reference.md', () => {
  // Linkers differ: releases are built with others than a checkout.
  const WITHIN = 0.3;

  it('names every platform, and the size of the binary for this one', () => {
    const text = fs.readFileSync(path.join(ROOT, 'docs', 'reference.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `([a-z0-9-]+)` \| (\d+) \|/gm)];
    const sizes = Object.fromEntries(rows.map(([, name, size]) => [name, Number(size)]));
    assert.deepEqual(Object.keys(sizes).sort(), [...PLATFORMS].sort());
    const size = fs.statSync(path.join(ROOT, BINARY)).size / 1024;
    const difference = Math.abs(sizes[PLATFORM] - size) / size;
    assert.ok(difference < WITHIN, `${sizes[PLATFORM]} KB for a binary of ${size} KB`);
  });
});

describe('npm', () => {
  const inTree = useFolder(beforeEach, afterEach);
  let before;

  beforeEach(() => {
    packed.copyTree(inTree());
    before = manifestNow();
  });

  const manifestNow = () => fs.readFileSync(inTree('package.json'), 'utf8');
  const isPacked = () => fs.readdirSync(inTree()).some((name) => name.endsWith('.tgz'));

  const run = (...args) => packed.npm(args, { cwd: inTree() });

  it('pack leaves package.json as it was, and takes no stray file out of dist/', () => {
    fs.writeFileSync(inTree('dist', 'index.js.1234'), '');
    const { status, stdout, stderr } = run('pack', '--silent');
    assert.equal(status, 0, stderr);
    assert.equal(isPacked(), true);
    assert.equal(manifestNow(), before);
    const files = packed.filesOf(inTree(stdout.trim()));
    const expected = bundle.ENTRIES.map(({ file }) => `dist/${file}`);
    const found = files.filter((name) => name.startsWith('dist/'));
    assert.deepEqual(found.sort(), expected.sort());
  }).timeout(LIMIT);

  const UNBUILT = {
    'where nothing is built': () => fs.rmSync(inTree('dist'), { recursive: true }),
    'where lib/ has changed since': () => {
      fs.appendFileSync(inTree('lib', 'api.js'), '\nmodule.exports.changed = true;\n');
    },
    'where the Rust code has changed since': () => fs.appendFileSync(inTree('src', 'lib.rs'), '\n'),
    'where the binary is missing': () => fs.rmSync(inTree(BINARY)),
  };
  for (const [where, change] of Object.entries(UNBUILT)) {
    it(`pack is refused ${where}`, () => {
      change();
      const { status, stderr } = run('pack');
      assert.notEqual(status, 0);
      assert.ok(stderr.includes('The package is not built. Build it with: npm run build'), stderr);
      assert.equal(isPacked(), false);
      assert.equal(manifestNow(), before);
    }).timeout(LIMIT);
  }

  // The copy of the checkout has no folder npm/, so it lacks them all.
  it('publish is refused where the binary of a platform is missing', () => {
    const { status, stderr } = run('publish', '--dry-run');
    assert.notEqual(status, 0);
    const missing = PLATFORMS.join(', ');
    const message = `The package cannot be published without binaries for ${missing}.\n`;
    assert.ok(stderr.includes(message), stderr);
    assert.equal(manifestNow(), before);
  }).timeout(LIMIT);
});

describe('the release', () => {
  // The script of the last step of the workflow, which runs no code of the project.
  function publishScript() {
    const file = path.join(ROOT, '.github', 'workflows', 'release.yml');
    const [, block] = fs.readFileSync(file, 'utf8').split('- name: Publish\n        run: |\n');
    return block.replace(/^ {10}/gm, '');
  }

  const NPM = '#!/bin/sh\n[ "$1" = view ] && exit 1\necho "$@" >> calls\n';
  const JQ = `#!${process.execPath}
    const { name, version } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    console.log(name + '@' + version);`;

  const inFolder = useFolder();

  before(() => {
    for (const [name, text] of Object.entries({ npm: NPM, jq: JQ })) {
      fs.writeFileSync(inFolder(name), text, { mode: 0o755 });
    }
    for (const tarball of Object.values(packed.tarballs())) {
      fs.copyFileSync(tarball, inFolder(path.basename(tarball)));
    }
  });

  for (const [tag, option] of [['v1.2.0', ''], ['v1.2.0-beta.1', ' --tag next']]) {
    it(`of ${tag} publishes the binary first${option && `, with${option}`}`, () => {
      const calls = inFolder('calls');
      fs.rmSync(calls, { force: true });
      const env = {
        ...process.env,
        PATH: `${inFolder()}${path.delimiter}${process.env.PATH}`,
        GITHUB_REF_NAME: tag,
      };
      // As GitHub runs it.
      const args = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', publishScript()];
      const options = { cwd: inFolder(), env, encoding: 'utf8' };
      const { status, stderr } = spawnSync('bash', args, options);
      assert.equal(status, 0, stderr);
      const files = [BINDING, MAIN].map((name) => path.basename(packed.tarballs()[name]));
      const expected = files.map((file) =>
        `publish ./${file} --provenance --access public${option}\n`);
      assert.equal(fs.readFileSync(calls, 'utf8'), expected.join(''));
    });
  }
});
