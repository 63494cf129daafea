'use strict';

// The route that a Prometheus server scrapes: figures about the tasks of the site.

const { Registry } = require('prom-client');
const { collectTaskMetrics } = require('uv-scheduler/prometheus');

/** Begins to measure. Returns the function that answers a scrape. */
function createMetrics() {
  const register = new Registry();
  collectTaskMetrics({ register });
  return async (req, res) => {
    const text = await register.metrics();
    res.writeHead(200, { 'content-type': register.contentType }).end(text);
  };
}

module.exports = { createMetrics };
