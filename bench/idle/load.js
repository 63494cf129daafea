'use strict';

// The load process: visitors who arrive at their own times, however many are still waiting. It gets
// only the addresses of the servers.

const http = require('node:http');

const { get, serveParent } = require('../../examples/docs-site/load');

// More than wait at once, so that no connection is opened while requests are measured.
const CONNECTIONS = 32;
// Every third request is a small one.
const SMALL = 3;

let agent = null;

const pathOf = (i) => (i % SMALL === 0 ? '/small' : '/page');
const fetch = (url, i) => get(agent, url + pathOf(i), { timeout: 0 });

async function connect({ urls }) {
  agent?.destroy();
  agent = new http.Agent({ keepAlive: true, maxFreeSockets: Infinity });
  for (const url of urls) {
    await Promise.all(Array.from({ length: CONNECTIONS }, () => get(agent, `${url}/small`)));
  }
}

/** Sends so many requests, one at a time. */
async function visitInTurn({ urls, count }) {
  for (const url of urls) {
    for (let i = 0; i < count; i++) await fetch(url, i);
  }
}

/**
 * Sends a request at each of the given times, to one server after the other. Returns how long those
 * took that were sent at `from` or later, in milliseconds from when they were sent: none waits for
 * another.
 */
async function arrive({ urls, arrivals, from }) {
  const times = [];
  const visits = [];
  const begin = performance.now();
  for (const [i, time] of arrivals.entries()) {
    const rest = begin + time - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    const visit = fetch(urls[i % urls.length], i);
    visits.push(time < from ? visit : visit.then(({ complete }) => times.push(complete)));
  }
  await Promise.all(visits);
  return times;
}

serveParent({ arrive, connect, visitInTurn });
