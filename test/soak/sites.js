'use strict';

// Whole sites under clients that behave badly, as test/ecosystem/sites.test.js has them, but attack
// after attack, and one on Next.js. The environment variables SEED, ROUNDS and SITES say which
// attacks, how many, and on which sites, by a part of their names. The same seed leads to the same
// attacks.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { EXTERNAL } = require('../../lib/loading/load-errors.js');
const { install } = require('../../scripts/setup/npm.js');

const ROOT = path.join(__dirname, '..', '..');
const ECOSYSTEM = path.join(ROOT, 'test', 'ecosystem');

for (const name of ['servers', 'bundlers']) {
  install(path.join(ECOSYSTEM, name), `packages for test/ecosystem/${name}`);
}
const { build, makeApp } = require('../ecosystem/bundlers/next.js');
const sites = require('../ecosystem/sites/index.js');
const { underFire } = require('../helpers/sites.js');

const { SEED = '1', ROUNDS = '12', SITES = '' } = process.env;

// Makes a standalone server of Next.js in a folder, with this checkout as the package.
async function makeNextSite(folder) {
  const app = path.join(folder, 'app');
  makeApp(app);
  const output = await build(app, { bundler: 'turbopack', line: EXTERNAL['Next.js'] });
  const standalone = path.join(output, 'standalone');
  const installed = path.join(standalone, 'node_modules', 'uv-scheduler');
  fs.rmSync(installed, { recursive: true });
  fs.symlinkSync(ROOT, installed, 'junction');
  return standalone;
}

async function attack(name) {
  const begin = performance.now();
  const options = { seed: SEED, rounds: Number(ROUNDS) };
  const complaints = await underFire({ path: process.execPath }, name, options);
  const seconds = Math.round((performance.now() - begin) / 1000);
  const verdict = complaints.length === 0 ? 'sound' : complaints.join('\n  ');
  const attacks = `${ROUNDS} attacks from seed ${SEED} in ${seconds} s`;
  process.stdout.write(`sites: ${name}, ${attacks}: ${verdict}\n`);
  return complaints.length === 0;
}

async function main() {
  const names = Object.keys(sites).filter((name) => name.includes(SITES));
  // The paths in the output of a bundler are without symbolic links.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-sites-')));
  try {
    if (names.includes('Next.js')) process.env.NEXT_SITE = await makeNextSite(folder);
    let isSound = true;
    for (const name of names) isSound = (await attack(name)) && isSound;
    process.exitCode = isSound ? 0 : 1;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main();
