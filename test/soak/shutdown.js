'use strict';

// Servers that get SIGTERM in the middle of a load and drain: 100 of them, each after
// one answer more.

const { losses, shutDown } = require('../helpers/shutdown.js');

const TIMES = 100;

async function main() {
  const node = { path: process.execPath };
  const sums = { accepted: 0, posted: 0, ranOnce: 0, rejected: 0 };
  let failures = 0;
  for (let i = 0; i < TIMES; i++) {
    const result = await shutDown(node, i);
    for (const key of Object.keys(sums)) sums[key] += result.server[key] ?? 0;
    const complaints = losses(result);
    if (complaints.length === 0) continue;
    failures++;
    process.stdout.write(`shutdown ${i}: ${complaints.join(', ')}\n`);
  }
  process.stdout.write(`shutdown: ${TIMES} servers, ${failures} lost something; `
    + `${sums.accepted} requests accepted and answered, ${sums.posted} tasks posted, `
    + `${sums.ranOnce} ran, ${sums.rejected} rejected\n`);
  process.exitCode = failures === 0 ? 0 : 1;
}

main();
