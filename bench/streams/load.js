'use strict';

// The load process: visitors arrive at their own times, and read what they asked for. It gets only
// the address of the server.

const http = require('node:http');
const { letArrive } = require('../harness/arrivals');
const { serveParent } = require('../harness/children');
const { REFUSALS } = require('../harness/clients');
const { END } = require('./contenders');

const agent = new http.Agent({ keepAlive: true, maxFreeSockets: Infinity });

// A visitor, who leaves after `patience` ms if it is given. `gaps` are the times between chunks.
const visit = (url, start, { name, patience }) => new Promise((resolve) => {
  const gaps = [];
  const end = (outcome) => {
    clearTimeout(timer);
    resolve({ outcome, gaps, ms: performance.now() - start });
  };
  const request = http.get(`${url}/${name}`, { agent }, (response) => {
    let last;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk) => {
      const now = performance.now();
      text += chunk;
      if (last !== undefined) gaps.push(now - last);
      last = now;
    });
    response.on('error', () => end('failed'));
    response.on('end', () => {
      if (REFUSALS.includes(response.statusCode)) return end('refused');
      end(text.endsWith(END) ? 'served' : 'failed');
    });
  });
  request.on('error', () => end('failed'));
  const timer = patience && setTimeout(() => {
    end('left');
    request.destroy();
  }, patience);
});

serveParent({
  arrive: ({ url, visitors }) => letArrive(visitors, (each, start) => visit(url, start, each)),
});
