'use strict';

// The load process: visitors ask servers for pages at random times, whether or not earlier pages
// have been answered. Runs with the same seed have the same visitors, with and without jobs.

const { createVisitors, letArrive } = require('../../bench/harness/arrivals');
const { serveParent } = require('../../bench/harness/children');
const { connect } = require('../../bench/harness/clients');

const HEALTH = '/health';
const HEALTH_INTERVAL = 20;

const open = (url) => connect(url, 'keep-alive', HEALTH);

// Resolves when the answer is complete.
const get = (client, path) => new Promise((resolve, reject) => {
  client.send(path, (status) => {
    if (status === 200) resolve();
    else reject(new Error(`${path}: status ${status}`));
  });
});

// Visits a server for a time; `rate` is in pages per second.
async function visit({ url, paths, rate, seconds, seed }) {
  const client = await open(url);
  const kinds = paths.map((name) => ({ name, share: 1 / paths.length }));
  const pages = createVisitors(kinds, { perSecond: rate, seconds, seed });
  const checks = Array.from({ length: seconds * 1000 / HEALTH_INTERVAL }, (_, i) =>
    ({ time: i * HEALTH_INTERVAL, name: HEALTH }));
  const timesOf = async (visitors) => {
    const { results } = await letArrive(visitors, async ({ name }, start) => {
      await get(client, name);
      return performance.now() - start;
    });
    return results;
  };
  const [ofPages, health] = await Promise.all([pages, checks].map(timesOf));
  client.close();
  return { pages: ofPages, health };
}

// Fetches every page, one after the other.
async function fetchAll({ url, paths }) {
  const client = await open(url);
  for (const path of paths) await get(client, path);
  client.close();
}

serveParent({
  fetchAll,
  // Visits several servers at once. Resolves to their results in this order.
  visit: ({ targets }) => Promise.all(targets.map(visit)),
});
