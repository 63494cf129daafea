'use strict';

// Responses that last as long as the visitors come, such as streams of events. The data of an event
// is when it was due, by the clock that all processes share.

const http = require('node:http');

const now = () => performance.timeOrigin + performance.now();

// Asks for `count` responses of each name. Returns a function that ends them, and their events.
function openLasting(url, lasting) {
  const begin = now();
  const events = [];
  const requests = lasting.flatMap(({ name, count }) => Array.from({ length: count }, () => {
    const request = http.get(`${url}/${name}`, { agent: false }, async (response) => {
      try {
        for await (const text of response.setEncoding('utf8')) {
          for (const [, due] of text.matchAll(/^data: (.*)$/gm)) {
            events.push({ time: due - begin, name, outcome: 'served', ms: now() - due });
          }
        }
      } catch {
        // It was ended below.
      }
    });
    return request.on('error', () => {});
  }));
  return () => {
    for (const request of requests) request.destroy();
    return events;
  };
}

module.exports = { now, openLasting };
