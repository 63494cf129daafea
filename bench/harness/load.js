'use strict';

// The load process. Visitors arrive at their own times, however many are still waiting, leave when
// their patience ends, and try again if they are asked to; or they ask again as soon as they have
// an answer. It gets only the addresses of the servers.

const { createHash } = require('node:crypto');
const { setTimeout: sleep } = require('node:timers/promises');
const { letArrive, random } = require('./arrivals');
const { serveParent } = require('./children');
const { REFUSALS, REFUSED, connect, openLasting } = require('./clients');

// Where nobody leaves, in ms.
const ENOUGH = 60_000;

// Between two health checks, in ms.
const CHECK_INTERVAL = 5;
const HEALTH = '/health';

// The visitors who fetch all pages at once.
const HASHING = 6;

let addresses = [];
let clients = [];

async function open({ urls, transport = 'keep-alive', path }) {
  for (const client of clients) client.close();
  addresses = urls;
  clients = [];
  for (const url of urls) clients.push(await connect(url, transport, path));
}

// Sends a request of a visitor who leaves after a while. Resolves to { outcome, when }. Each part
// of the answer goes to `received`.
function attempt(client, path, patience, received) {
  return new Promise((resolve) => {
    let leave = null;
    const timer = setTimeout(() => {
      resolve({ outcome: 'left' });
      leave();
    }, Math.max(0, patience));
    leave = client.send(path, (status, headers) => {
      clearTimeout(timer);
      const outcome = status === 200 ? 'served' : REFUSALS.includes(status) ? 'refused' : 'failed';
      resolve({ outcome, when: headers?.[REFUSED] });
    }, received);
  });
}

// The same for a page that has to be served. Resolves to how long it took, in ms.
async function serveOne(client, path, received) {
  const start = performance.now();
  const { outcome } = await attempt(client, path, ENOUGH, received);
  if (outcome !== 'served') throw new Error(`${path} was ${outcome}`);
  return performance.now() - start;
}

// A visitor who arrived at `start`. `retries` is how often one tries again, after `backoff` ms that
// double each time, at most: the wait is random, so that visitors who were refused together do not
// come back together.
async function visit(client, path, start, { patience = ENOUGH, retries = 0, backoff = 0, seed }) {
  // Those who come late leave at their time.
  let rest = start + patience - performance.now();
  for (let tries = 0; ; tries++) {
    const { outcome, when } = await attempt(client, path, rest);
    if (outcome === 'served' || tries === retries) {
      return { outcome, when, ms: performance.now() - start, tries: tries + 1 };
    }
    await sleep(random(seed, tries) * backoff * 2 ** tries);
    rest = patience;
  }
}

// Sends one health check after another, on a connection of their own. While one waits for its
// answer, none is sent, because a slow server would only have more connections to accept. Checks
// that were due meanwhile count as sent on time and answered with that one, so that a long wait
// keeps its weight. Resolves to a function that ends the checks, and resolves to their times.
async function startChecks() {
  const client = await connect(addresses[0], 'keep-alive', HEALTH);
  const times = [];
  let isOver = false;
  const check = async () => {
    while (!isOver) {
      const complete = await serveOne(client, HEALTH);
      times.push(complete);
      for (let time = complete - CHECK_INTERVAL; time >= CHECK_INTERVAL; time -= CHECK_INTERVAL) {
        times.push(time);
      }
      await sleep(CHECK_INTERVAL - complete % CHECK_INTERVAL);
    }
    client.close();
    return times;
  };
  const checks = check();
  return () => {
    isOver = true;
    return checks;
  };
}

// Lets the visitors { time, name } arrive, at one server after the other. Returns for each one
// { outcome, when, ms, tries }, `ms` counted from when the visitor should have arrived, and how
// late each one was. The responses of `lasting` go on for all that time; their events are visits,
// too. With `checks`, `health` are the times of health checks.
async function arrive({ visitors, seed, lasting = [], checks = false, ...habits }) {
  const endChecks = checks ? await startChecks() : () => [];
  const end = openLasting(addresses[0], lasting);
  const arrived = await letArrive(visitors, ({ name }, start, i) =>
    visit(clients[i % clients.length], `/${name}`, start, { ...habits, seed: `${seed} ${i}` }));
  return { ...arrived, events: end(), health: await endChecks() };
}

// Asks for a page, and leaves when it begins to arrive.
const leaveEarly = (client, path) => new Promise((resolve) => {
  const leave = client.send(path, resolve, () => {
    leave();
    resolve();
  });
});

// Visitors ask a server for one path of a list after another. They end after `seconds`, at the end
// of the list, so every server renders the same mix of pages. Between two pages each reads for up
// to `reading` ms, irregularly, but the same in every run. One in `leaves` visitors leaves early,
// others in each pass through the list. Calls `served(start)` for each of the others.
async function visitAgain(settings, served) {
  const { paths, visitors, seconds, server = 0, reading = 0, leaves = Infinity } = settings;
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const isOver = () => next > 0 && next % paths.length === 0 && performance.now() >= end;
  const visitor = async () => {
    while (!isOver()) {
      const start = performance.now();
      const turn = next++;
      const path = paths[turn % paths.length];
      if ((turn + Math.floor(turn / paths.length)) % leaves === 0 && leaves < Infinity) {
        await leaveEarly(clients[server], path);
      } else {
        await serveOne(clients[server], path);
        served(start);
      }
      if (reading > 0) await sleep(turn * 7919 % (reading + 1));
    }
  };
  await Promise.all(Array.from({ length: visitors }, visitor));
}

// Visits as often as the server can answer. Returns the pages per second, and how long each took.
async function saturate({ checks = false, ...settings }) {
  const endChecks = checks ? await startChecks() : () => [];
  const [pages, ends] = [[], []];
  await visitAgain(settings, (start) => {
    ends.push(performance.now());
    pages.push(ends.at(-1) - start);
  });
  // From one page to another: how long it takes until the first one does not count.
  const perSecond = (ends.length - 1) / (ends.at(-1) - ends[0]) * 1000;
  return { perSecond, pages, health: await endChecks() };
}

// The same for pages of several names, so many visitors each. Returns what arrive() does.
async function compete({ names, ...settings }) {
  const [visitors, results] = [[], []];
  const begin = performance.now();
  await Promise.all(names.map((name) => {
    return visitAgain({ paths: [`/${name}`], ...settings }, (start) => {
      visitors.push({ time: start - begin, name });
      results.push({ outcome: 'served', ms: performance.now() - start });
    });
  }));
  return { visitors, results, lateness: [] };
}

// Returns the hash of every page, or all its hashes if they differ. Several visitors ask at once,
// so that the pages compete.
async function hashPages({ paths, times }) {
  const hashes = new Map(paths.map((path) => [path, new Set()]));
  const rest = Array.from({ length: times }, () => paths).flat().values();
  const visitor = async () => {
    for (const path of rest) {
      const hash = createHash('sha256');
      await serveOne(clients[0], path, (chunk) => hash.update(chunk));
      hashes.get(path).add(hash.digest('hex'));
    }
  };
  await Promise.all(Array.from({ length: HASHING }, visitor));
  return Object.fromEntries([...hashes].map(([path, set]) => [path, [...set].join()]));
}

serveParent({ arrive, compete, hashPages, open, saturate });
