'use strict';

// The site on Next.js: the standalone server of bundlers/next-app, which lies in the folder
// NEXT_SITE, with an admission in place of its own http.Server.

const fs = require('node:fs');
const http = require('node:http');
const { createRequire } = require('node:module');
const path = require('node:path');
const site = require('./site.js');

const pages = [
  { path: '/server?page=visitor', end: 'visitor 19' },
  { path: '/client?page=visitor', end: 'visitor 19' },
  { path: '/data?page=server', end: 'server 9 data' },
  { path: '/order', end: 'ub' },
  { path: '/static', end: 'server 19' },
];

// The configuration that its server.js has in itself.
function readConfiguration(folder) {
  const dist = fs.readdirSync(folder).find((name) => name.startsWith('.next'));
  const file = path.join(folder, dist, 'required-server-files.json');
  return JSON.parse(fs.readFileSync(file, 'utf8')).config;
}

async function start() {
  const dir = process.env.NEXT_SITE;
  const conf = readConfiguration(dir);
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(conf);
  process.chdir(dir);
  const next = createRequire(path.join(dir, 'server.js'))('next');
  const app = next({ dir, conf, dev: false, hostname: '127.0.0.1', port: 0 });
  await app.prepare();
  return http.createServer(site.admission.handler(app.getRequestHandler()));
}

// Next.js logs an error for each section that an abort ends, and for paths that are no URL.
module.exports = { 'Next.js': { start, pages, hasLog: true } };
