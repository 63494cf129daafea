'use strict';

// Whole sites under clients that behave badly, as test/ecosystem/sites.test.js has them, but attack
// after attack, and one on Next.js. The environment variables SEED, ROUNDS and SITES say which
// attacks, how many, and on which sites, by a part of their names. The same seed leads to the same
// attacks.

const path = require('node:path');
const { install } = require('../../scripts/setup/npm.js');

const ECOSYSTEM = path.join(__dirname, '..', 'ecosystem');

const { SEED = '1', ROUNDS = '12', SITES = '' } = process.env;

async function attack(name) {
  const { underFire } = require('../helpers/sites.js');
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
  for (const name of ['servers', 'bundlers']) {
    await install(path.join(ECOSYSTEM, name), `packages for test/ecosystem/${name}`);
  }
  // The sites need the packages that are installed by then.
  const sites = require('../ecosystem/sites/index.js');
  const { withNextSite } = require('../ecosystem/sites/make-next.js');
  const names = Object.keys(sites).filter((name) => name.includes(SITES));
  const attackAll = async () => {
    let isSound = true;
    for (const name of names) isSound = (await attack(name)) && isSound;
    process.exitCode = isSound ? 0 : 1;
  };
  if (names.includes('Next.js')) await withNextSite(attackAll);
  else await attackAll();
}

main();
