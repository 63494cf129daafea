'use strict';

// The place of a request that waits in an admission, beside streams that awake meanwhile.

const assert = require('node:assert/strict');
const http = require('node:http');
const { currentTaskSignal, scheduler } = require('../../..');
const { createAdmission } = require('uv-scheduler/http');
const { closeAll, listen, occupy, until } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');

const COUNT = 3;

// If the machine stands still while a listener runs, the gate lets no request start for a moment,
// and streams overtake.
const TRIES = 20;

const EXPECTED = Array.from({ length: COUNT }, (_, i) => [`/page-${i}`, `event-${i}`]).flat();

// Resolves to the order in which pages and events start. Event i follows page i.
async function run() {
  const starts = [];
  const streams = [];
  const admission = createAdmission({ refuseAfter: { 'user-visible': Infinity } });
  const port = await listen(http.createServer(admission.handler((request, response) => {
    if (request.url !== '/stream') {
      starts.push(request.url);
      response.end();
      return;
    }
    const signal = currentTaskSignal();
    streams.push((name) => scheduler.postTask(() => void starts.push(name), { signal }));
    response.flushHeaders();
  })));
  // The streams end with their connections.
  const get = (path) => http.get({ port, path }, (answer) => answer.resume())
    .on('error', () => {});
  for (let i = 0; i < COUNT; i++) get('/stream');
  await until(() => streams.length === COUNT);

  const free = occupy();
  const events = [];
  for (let i = 0; i < COUNT; i++) {
    get(`/page-${i}`);
    await until(() => admission.counts()['user-visible'].queued === i + 1);
    events.push(streams[i](`event-${i}`));
  }
  await free();
  await Promise.all(events);
  await until(() => starts.length === EXPECTED.length);
  await closeAll();
  return starts;
}

describe('a request that waits in an admission', () => {
  it('goes before streams that awake after its arrival, and behind earlier ones', async () => {
    let starts = [];
    for (let i = 0; i < TRIES && String(starts) !== String(EXPECTED); i++) starts = await run();
    assert.deepEqual(starts, EXPECTED);
  }).timeout(LIMIT);
});
