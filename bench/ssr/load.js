'use strict';

// The load process: several clients request page after page without a pause, so that the server
// always has work. It gets only the server's address and the paths of its pages.

const http = require('node:http');

const {
  get, hashPages, serveParent, visitAlone, visitPages,
} = require('../../examples/docs-site/load');

const HEALTH_INTERVAL = 5;
// Beside a loop, where an answer takes processor time that counts as the loop's.
const SPARSE_INTERVAL = 10;

let agents = null;
let running = null;

/**
 * Opens the connections before any work begins: a server accepts one in each turn of its loop,
 * which is not part of rendering.
 */
async function connect({ url, clients }) {
  const createAgent = () => new http.Agent({ keepAlive: true });
  agents = { pages: createAgent(), health: createAgent() };
  const all = [agents.health, ...Array.from({ length: clients }, () => agents.pages)];
  await Promise.all(all.map((agent) => get(agent, `${url}/health`)));
}

/**
 * Fetches until `stop` is aborted. A request without an answer by then counts with the time since
 * it was sent.
 */
function createFetch(url, agent, stop) {
  stop.addEventListener('abort', () => agent.destroy());
  return async (path) => {
    const begin = performance.now();
    try {
      return { ...await get(agent, url + path, { timeout: 0 }), answered: true };
    } catch (error) {
      if (!stop.aborted) throw error;
      const waited = performance.now() - begin;
      return { first: waited, complete: waited, answered: false };
    }
  };
}

/**
 * Sends one health check after another, with an interval in ms. It sends none while it waits for
 * one, because a slow server would only have more connections to accept. Checks that were due
 * meanwhile count as sent on time and answered with that one, so that a long wait keeps its weight.
 */
async function checkHealth(fetch, times, stop, interval = HEALTH_INTERVAL) {
  while (!stop.aborted) {
    const { complete } = await fetch('/health');
    times.push(complete);
    for (let time = complete - interval; time >= interval; time -= interval) {
      times.push(time);
    }
    const rest = interval - complete % interval;
    await new Promise((resolve) => setTimeout(resolve, rest));
  }
}

/**
 * Visits the whole list at least once and for `seconds`, so that every strategy is measured with
 * the same mix of pages. It stops after `limit` seconds at the latest, and then `cut` is true. The
 * connections must be open.
 */
async function saturate({ url, paths, seconds, limit, clients }) {
  const result = { health: [], first: [], complete: [], pages: 0, cut: false };
  const controller = new AbortController();
  const { signal: stop } = controller;
  const begin = performance.now();
  const timer = setTimeout(() => {
    result.cut = true;
    controller.abort();
  }, limit * 1000);
  const fetch = createFetch(url, agents.pages, stop);
  const checks = checkHealth(createFetch(url, agents.health, stop), result.health, stop);
  await visitPages({
    paths, visitors: clients, reading: 0,
    mayEnd: () => performance.now() - begin >= seconds * 1000,
    async visitPage(path) {
      if (stop.aborted) return;
      const { first, complete, answered } = await fetch(path);
      result.first.push(first);
      result.complete.push(complete);
      result.pages += answered;
    },
  });
  result.elapsed = performance.now() - begin;
  clearTimeout(timer);
  controller.abort();
  await checks;
  return result;
}

/** Returns how many pages a second one visitor gets, who asks for the next one at once. */
async function calibrate({ url, path, seconds }) {
  const load = { url, paths: [path], seconds, limit: seconds + 60, clients: 1 };
  const { pages, elapsed } = await saturate(load);
  return pages / elapsed * 1000;
}

/**
 * Asks for a page at each of the given times, however many are still awaited. A page's time counts
 * from when it should have been asked for, so that a busy load process hides no wait.
 */
async function arrive({ url, path, arrivals }) {
  const result = { health: [], complete: [] };
  const controller = new AbortController();
  const { signal: stop } = controller;
  const checks = checkHealth(createFetch(url, agents.health, stop), result.health, stop);
  const begin = performance.now();
  const visits = [];
  for (const time of arrivals) {
    const rest = begin + time - performance.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    visits.push(get(agents.pages, url + path).then(() => {
      result.complete.push(performance.now() - begin - time);
    }));
  }
  await Promise.all(visits);
  result.elapsed = performance.now() - begin;
  controller.abort();
  await checks;
  agents.pages.destroy();
  return result;
}

/** Sends health checks until `stopChecks` is called. */
function startChecks({ url }) {
  const controller = new AbortController();
  const { signal: stop } = controller;
  const times = [];
  const checks = checkHealth(
    createFetch(url, agents.health, stop), times, stop, SPARSE_INTERVAL);
  running = async () => {
    controller.abort();
    await checks;
    return times;
  };
}

const stopChecks = () => running();

serveParent({
  arrive, calibrate, connect, hashPages, saturate, startChecks, stopChecks, visitAlone,
});
