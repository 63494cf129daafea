'use strict';

// I/O beside work of the portable host that never pauses.

const assert = require('node:assert/strict');
const http = require('node:http');
const { scheduler } = require('../..');
const { busy } = require('../helpers/busy.js');

const COUNT = 600;

describe('I/O beside work that never pauses', () => {
  // A connection, its request and its answer come in several turns of the loop that poll.
  it('comes within a few slices', async () => {
    const server = http.createServer((request, response) => response.end('OK'));
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      let done = 0;
      let doneBefore = COUNT;
      const page = scheduler.postTask(async () => {
        for (; done < COUNT; done++) {
          busy(0.5);
          await scheduler.yield();
        }
      });
      const answered = new Promise((resolve, reject) => {
        const { port } = server.address();
        http.get({ port, host: '127.0.0.1', agent: false }, (response) => {
          doneBefore = done;
          response.resume().once('end', resolve);
        }).once('error', reject);
      });
      await Promise.all([page, answered]);
      assert.ok(doneBefore < COUNT / 2, `${doneBefore} of ${COUNT} pieces came first`);
    } finally {
      server.close();
    }
  });
});
