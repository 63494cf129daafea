'use strict';

// The load process: people arrive at their own times and read the tokens of a turn, while visitors
// of one tenant, if there are any, ask again and again. It gets only the address of the server.

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { letArrive } = require('../harness/arrivals');
const { serveParent } = require('../harness/children');
const { REFUSALS } = require('../harness/clients');

// Between two attempts of a visitor of the flood who was refused, in ms.
const BACKOFF = 100;

const TOKEN = /"token"/g;
const DONE = '"done"';

const agent = new http.Agent({ keepAlive: true, maxFreeSockets: Infinity });

// Takes a turn, and calls `each()` at each token. Resolves to the outcome.
function takeTurn(url, { tenant, context }, each = () => {}) {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json', 'x-tenant': tenant };
    const request = http.request(`${url}/chat`, { method: 'POST', headers, agent }, (response) => {
      let last = '';
      response.setEncoding('utf8');
      response.on('data', (text) => {
        last = (last + text).slice(-DONE.length - 10);
        for (let count = text.match(TOKEN)?.length ?? 0; count > 0; count--) each();
      });
      response.on('error', () => resolve('failed'));
      response.on('end', () => {
        if (REFUSALS.includes(response.statusCode)) resolve('refused');
        else resolve(last.includes(DONE) ? 'served' : 'failed');
      });
    });
    request.on('error', () => resolve('failed'));
    request.end(JSON.stringify({ prompt: 'what is new?', context }));
  });
}

// A person who arrived at `start`, of a tenant of a few. Resolves to when the tokens came, in ms:
// `first` from the arrival on, `gaps` from one to the next.
async function visit(url, start, tenant) {
  const gaps = [];
  let first;
  let last;
  const outcome = await takeTurn(url, { tenant }, () => {
    const now = performance.now();
    if (first === undefined) first = now - start;
    else gaps.push(now - last);
    last = now;
  });
  return { outcome, first, gaps, ms: performance.now() - start };
}

// Visitors of one tenant, with contexts of so many messages. Returns a function that ends this, and
// the number of those served.
function startFlood(url, { visitors, messages }) {
  const context = Array.from({ length: messages }, (_, i) => ({ role: 'user', text: `text ${i}` }));
  let served = 0;
  let isOver = false;
  const ask = async () => {
    while (!isOver) {
      const outcome = await takeTurn(url, { tenant: 'flood', context });
      if (outcome === 'served') served++;
      else await sleep(BACKOFF);
    }
  };
  for (let i = 0; i < visitors; i++) ask();
  return () => {
    isOver = true;
    return served;
  };
}

async function arrive({ url, visitors, flood }) {
  const endFlood = startFlood(url, flood);
  const arrived = await letArrive(visitors, ({ name }, start) => visit(url, start, name));
  return { ...arrived, flood: endFlood() };
}

serveParent({ arrive });
