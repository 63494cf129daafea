'use strict';

// Pages of <Scheduled> compared with those of <Suspense>, from two servers that take turns: how
// long a page takes for a client that stays, while 50 others leave at the first byte over and over,
// and how many pages a second are sent when all clients stay. Each figure is the best of some
// rounds, as noise only adds.

const { fork } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const path = require('node:path');
const { text } = require('node:stream/consumers');
const { setTimeout: wait } = require('node:timers/promises');

const PROGRAM = path.join(__dirname, '..', 'fixtures', 'react', 'page-server.js');

const ROUNDS = 4;
const LEAVERS = 50;
const STAYERS = 8;

// In ms.
const PERIOD = 3000;
const PAUSE = 20;

const LAST_ITEM = '/item/299';

// Against <Suspense>.
const MOST_TIME = 1.3;
const LEAST_PAGES = 0.9;

// In bytes, over all rounds.
const MOST_GROWTH = 4 * 2 ** 20;

async function start(kind) {
  const child = fork(PROGRAM, [kind], { execArgv: ['--expose-gc'] });
  const [{ port }] = await once(child, 'message');
  return { kind, child, port, times: [], rates: [], heaps: [] };
}

async function getPage(port, agent) {
  const [response] = await once(http.get({ port, host: '127.0.0.1', agent }), 'response');
  const html = await text(response);
  if (!html.includes(LAST_ITEM)) throw new Error('the page is not complete');
}

// Calls `work` over and over, on so many lanes, until the period is over.
async function during(lanes, work) {
  const end = performance.now() + PERIOD;
  const lane = async () => {
    while (performance.now() < end) await work();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function leave(port) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  socket.once('data', () => socket.destroy());
  // once() would reject if the server resets the connection.
  socket.on('error', () => {});
  await new Promise((resolve) => socket.on('close', resolve));
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure({ child, port, times, rates, heaps }) {
  const agent = new http.Agent({ keepAlive: true });
  const taken = [];
  await Promise.all([
    during(LEAVERS, () => leave(port)),
    during(1, async () => {
      const begin = performance.now();
      await getPage(port, agent);
      taken.push(performance.now() - begin);
      await wait(PAUSE);
    }),
  ]);
  times.push(median(taken));
  let pages = 0;
  await during(STAYERS, async () => {
    await getPage(port, agent);
    pages++;
  });
  rates.push(pages / (PERIOD / 1000));
  agent.destroy();
  child.send('heap');
  const [{ heap }] = await once(child, 'message');
  heaps.push(heap);
}

async function main() {
  // Without servers, the program ends early.
  process.exitCode = 1;
  const servers = [await start('suspense'), await start('scheduled')];
  for (let round = 0; round < ROUNDS; round++) for (const server of servers) await measure(server);
  for (const { child } of servers) child.disconnect();
  const [suspense, scheduled] = servers.map(({ kind, times, rates, heaps }) => {
    const time = Math.min(...times);
    const rate = Math.max(...rates);
    console.log(`${kind}: ${time.toFixed(1)} ms a page, ${rate.toFixed(1)} pages a second, heap ` +
      heaps.map((heap) => (heap / 2 ** 20).toFixed(1)).join(' '));
    return { time, rate, growth: heaps.at(-1) - heaps[0] };
  });
  const isSound = scheduled.time <= MOST_TIME * suspense.time &&
    scheduled.rate >= LEAST_PAGES * suspense.rate && scheduled.growth <= MOST_GROWTH;
  process.exitCode = isSound ? 0 : 1;
}

main();
