'use strict';

// The lines of docs/watching.md for pino, Datadog and Sentry, with the real libraries.
// @host newest

const assert = require('node:assert/strict');
const path = require('node:path');
const { assertShows } = require('../helpers/docs.js');
const { LIMIT, ROOT, nodes, run } = require('../helpers/loop.js');

const PROGRAM = path.join(__dirname, 'monitors', 'program.mjs');

describe('the documents on loggers and monitors', () => {
  it('show lines of a program that tells them of blocks, with its route and span', async () => {
    assertShows('docs/watching.md', [PROGRAM]);
    const env = { ...process.env, DD_INSTRUMENTATION_TELEMETRY_ENABLED: 'false' };
    const args = ['--import', 'uv-scheduler/report', PROGRAM];
    const { code, stdout, stderr } = await run(nodes.at(-1), args, { cwd: ROOT, env });
    assert.equal(code, 0, stderr);
    const { pino, datadog, sentry } = JSON.parse(stdout);
    const [place] = datadog;
    assert.match(place, /^planted \(.*program\.mjs:\d+\)$/);
    assert.deepEqual(pino, [40, 'blocked', place, 'GET /page', 'code']);
    assert.deepEqual(datadog, [place, true]);
    assert.deepEqual(sentry, [`blocked by ${place}`, 'planted', 'warning', 'GET /page']);
  }).timeout(2 * LIMIT);
});
