'use strict';

// The place of a request that waits in an admission, beside streams that awake meanwhile.

const assert = require('node:assert/strict');
const http = require('node:http');
const { currentTaskSignal, scheduler } = require('../../..');
const { closeAll, occupy, start, until } = require('../../helpers/admission.js');
const { LIMIT } = require('../../helpers/programs.js');

// If the machine stands still while a listener runs, the gate lets no request start for a moment,
// and streams overtake.
const TRIES = 20;

// Event i follows page i.
const EXPECTED = [0, 1, 2].flatMap((i) => [`/page-${i}`, `event-${i}`]);

// Resolves to the order in which pages and events start.
async function run() {
  const starts = [];
  const streams = [];
  const { port, counts } = await start((request, response) => {
    if (request.url !== '/stream') {
      starts.push(request.url);
      return response.end();
    }
    const signal = currentTaskSignal();
    streams.push((name) => scheduler.postTask(() => void starts.push(name), { signal }));
    return response.flushHeaders();
  });
  // The streams end with their connections.
  const get = (path) => http.get({ port, path }, (answer) => answer.resume())
    .on('error', () => {});
  for (const event of ['/stream', '/stream', '/stream']) get(event);
  await until(() => streams.length === 3);
  const free = occupy();
  const events = [];
  for (const [i, wake] of streams.entries()) {
    get(`/page-${i}`);
    await until(() => counts()['user-visible'].queued === i + 1);
    events.push(wake(`event-${i}`));
  }
  await free();
  await Promise.all(events);
  await until(() => starts.length === EXPECTED.length);
  await closeAll();
  return starts;
}

it('a request that waits goes before streams that awake after it, and behind others', async () => {
  let starts = [];
  for (let i = 0; i < TRIES && String(starts) !== String(EXPECTED); i++) starts = await run();
  assert.deepEqual(starts, EXPECTED);
}).timeout(LIMIT);
