// React Router in a server of node:http: each request is handled in a task.

import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequestListener } from '@react-router/node';
import { scheduler } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';
import { priorityOf } from '../shared/classes.mjs';
import { shutDownOnSignals } from '../shared/shut-down.mjs';
import * as build from './build/server/index.js';

const CLIENT = path.join(import.meta.dirname, 'build', 'client');
const ASSET = /^\/assets\/[\w.-]+\.js$/;

const handle = createRequestListener({ build });

// Its loaders and its rendering inherit the priority of its class, and end when the client leaves.
async function handleInTask(request, response) {
  const priority = priorityOf(request.url, request.headers['user-agent']);
  const { signal } = controllerFor(response, { priority });
  try {
    await scheduler.postTask(() => handle(request, response), { signal });
  } catch (error) {
    if (!signal.aborted) response.destroy(error);
  }
}

function sendAsset(name, response) {
  response.setHeader('content-type', 'text/javascript');
  fs.createReadStream(path.join(CLIENT, name)).on('error', () => {
    response.writeHead(404).end();
  }).pipe(response);
}

const server = http.createServer((request, response) => {
  // Costs nothing, so it needs no task: a page gives way as soon as the request has come.
  if (request.url === '/health') response.end('ok\n');
  else if (ASSET.test(request.url)) sendAsset(request.url, response);
  else handleInTask(request, response);
});

server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/report`);
});

shutDownOnSignals(server, shutDown);
