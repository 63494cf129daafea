'use strict';

// The load process of open loops: visitors arrive at their own times, however many are still
// waiting, leave when their patience ends, and try again if they are asked to. It gets only the
// addresses of the servers.

const { setTimeout: sleep } = require('node:timers/promises');

const { serveParent } = require('../examples/docs-site/load');

const { random } = require('./arrivals');
const { connect } = require('./clients');
const { openLasting } = require('./lasting');

// Where nobody leaves, in ms.
const ENOUGH = 60_000;

let addresses = [];
let clients = [];

async function open({ urls, transport = 'keep-alive', path }) {
  for (const client of clients) client.close();
  addresses = urls;
  clients = [];
  for (const url of urls) clients.push(await connect(url, transport, path));
}

/** Sends a request of a visitor who leaves after a while. Resolves to { outcome, when }. */
function attempt(client, path, patience) {
  return new Promise((resolve) => {
    let leave = null;
    const timer = setTimeout(() => {
      resolve({ outcome: 'left' });
      leave();
    }, Math.max(0, patience));
    leave = client.send(path, (status, when) => {
      clearTimeout(timer);
      const outcome = status === 200 ? 'served' : status === 503 ? 'refused' : 'failed';
      resolve({ outcome, when });
    });
  });
}

/**
 * A visitor who arrived at `start`. `retries` is how often one tries again, after `backoff` ms that
 * double each time, at most: the wait is random, so that visitors who were refused together do not
 * come back together.
 */
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

/**
 * Lets the visitors { time, name } arrive, at one server after the other. Returns for each one
 * { outcome, when, ms, tries }, `ms` counted from when the visitor should have arrived, and how
 * late each one was. The responses of `lasting` go on for all that time; their events are visits,
 * too.
 */
async function arrive({ visitors, seed, lasting = [], ...habits }) {
  const lateness = [];
  const visits = [];
  const begin = performance.now();
  const end = openLasting(addresses[0], lasting);
  for (const [i, { time, name }] of visitors.entries()) {
    const start = begin + time;
    // A timer is up to a millisecond late. To spin for the rest would slow down the server where
    // processors share what they consist of.
    const rest = start - performance.now();
    if (rest > 0) await sleep(Math.ceil(rest));
    lateness.push(performance.now() - start);
    const client = clients[i % clients.length];
    visits.push(visit(client, `/${name}`, start, { ...habits, seed: `${seed} ${i}` }));
  }
  const results = await Promise.all(visits);
  return { results, lateness, events: end() };
}

async function serveOne(client, path) {
  const { outcome } = await attempt(client, path, ENOUGH);
  if (outcome !== 'served') throw new Error(`a page was ${outcome}`);
}

/** Visitors ask again at once, for a while. Calls `served(start)` for each page. */
async function visitAgain({ path, visitors, seconds }, served) {
  const end = performance.now() + seconds * 1000;
  const visitor = async () => {
    for (let start; (start = performance.now()) < end;) {
      await serveOne(clients[0], path);
      served(start);
    }
  };
  await Promise.all(Array.from({ length: visitors }, visitor));
}

/** Visits as often as the server can answer, and returns the pages per second. */
async function saturate(settings) {
  const times = [];
  await visitAgain(settings, () => times.push(performance.now()));
  // From one page to another: how long it takes until the first one does not count.
  return (times.length - 1) / (times.at(-1) - times[0]) * 1000;
}

/** The same for pages of several names, so many visitors each. Returns what arrive() does. */
async function compete({ names, ...settings }) {
  const [visitors, results] = [[], []];
  const begin = performance.now();
  await Promise.all(names.map((name) => {
    return visitAgain({ path: `/${name}`, ...settings }, (start) => {
      visitors.push({ time: start - begin, name });
      results.push({ outcome: 'served', ms: performance.now() - start });
    });
  }));
  return { visitors, results, lateness: [] };
}

/** Visits these paths of each server, one after the other. */
async function visitInTurn({ paths }) {
  for (const client of clients) {
    for (const path of paths) await serveOne(client, path);
  }
}

serveParent({ arrive, compete, open, saturate, visitInTurn });
