// Runs random programs as run.js does, from an ES module that awaits the first of them at its top
// level: `node run-module.mjs at-once|after-io watched|alone`, where `after-io` awaits an I/O
// operation before.

import fs from 'node:fs';
import run from './run.js';

const session = run.makeSession(run.readPrograms());
const isAfterIo = process.argv[2] === 'after-io';
if (isAfterIo) await fs.promises.stat('.');

// A module runs in a microtask: of the main script, or on Node 20 of the poll phase.
const isInPoll = isAfterIo || process.version.startsWith('v20.');
await session.begin(isInPoll ? 'poll' : 'main', 'micro');
