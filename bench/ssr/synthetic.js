'use strict';

// The server process of the measurements with synthetic work: pages of 20 pieces of a millisecond
// each, rendered in the way that their address names, and a loop of short turns. The work is spun
// by the clock and makes no garbage, so what differs is when it runs.

const http = require('node:http');

const { scheduler, shouldYield } = require('../..');
const { cpuSince } = require('../processes');
const { serve } = require('../server');

const { PIECES, PIECE_MS } = require('./synthetic-plan');

const nextImmediate = () => new Promise((resolve) => setImmediate(resolve));

function spin(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

async function render(pause) {
  for (let piece = 0; piece < PIECES; piece++) {
    spin(PIECE_MS);
    // Behind the last piece the page is sent.
    if (piece < PIECES - 1) await pause?.();
  }
}

function renderAtOnce() {
  for (let piece = 0; piece < PIECES; piece++) spin(PIECE_MS);
}

async function renderWhenAsked() {
  for (let piece = 0; piece < PIECES; piece++) {
    spin(PIECE_MS);
    if (piece < PIECES - 1 && shouldYield()) await scheduler.yield();
  }
}

const pages = {
  unchunked: renderAtOnce,
  immediate: () => render(nextImmediate),
  yield: () => scheduler.postTask(() => render(() => scheduler.yield())),
  shouldYield: () => scheduler.postTask(renderWhenAsked),
};

// A turn of a loop: about a microsecond.
function turn(seed) {
  let value = seed;
  for (let i = 0; i < 500; i++) value = (Math.imul(value, 1103515245) + 12345) | 0;
  return value;
}

const loops = {
  async never(turns) {
    let value = 1;
    for (let i = 0; i < turns; i++) value = turn(value);
    return value;
  },
  async yield(turns) {
    let value = 1;
    for (let i = 0; i < turns; i++) {
      value = turn(value);
      await scheduler.yield();
    }
    return value;
  },
  async shouldYield(turns) {
    let value = 1;
    for (let i = 0; i < turns; i++) {
      value = turn(value);
      if (shouldYield()) await scheduler.yield();
    }
    return value;
  },
};

const commands = {
  /**
   * Runs a loop in a task, and returns the processor time that it took in ms, with that of the
   * answers to health checks meanwhile. Other load on the machine adds nothing to it.
   */
  async loop({ kind, turns }) {
    const before = process.cpuUsage();
    await scheduler.postTask(() => loops[kind](turns));
    return cpuSince(before);
  },
};

const server = http.createServer(async (req, res) => {
  const kind = /^\/page\/(\w+)$/.exec(req.url)?.[1];
  if (kind !== undefined) await pages[kind]();
  res.writeHead(200, { 'content-type': 'text/plain' }).end('done\n');
});

serve(server, commands);
