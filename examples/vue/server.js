// A report of many months that Vue renders in pieces, so that other requests are answered
// meanwhile. app.js has the pieces.

import http from 'node:http';
import { requestIdleCallback } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';
import { pipeToNodeWritable } from 'vue/server-renderer';
import { shutDownOnSignals } from '../shared/shut-down.mjs';
import { MONTHS, createReport } from './app.js';

function sendReport(res) {
  const { signal } = controllerFor(res);
  let count = 0;
  const onMonth = () => (count += 1);
  const onError = (error) => {
    console.error(error);
    res.destroy();
  };
  signal.addEventListener('abort', () => {
    res.destroy(); // At a time limit, a part of the page must not look like all of it.
    // A line in the log can wait.
    requestIdleCallback(() => {
      console.log(`/report: the visitor left; ${count} of ${MONTHS} months were rendered`);
    });
  });
  res.setHeader('content-type', 'text/html; charset=utf-8');
  res.write('<!DOCTYPE html>\n');
  pipeToNodeWritable(createReport({ signal, onMonth, onError }), {}, res);
}

const server = http.createServer((req, res) => {
  if (req.url === '/report') return sendReport(res);
  if (req.url === '/health') return res.end('ok\n');
  res.writeHead(404).end();
});
server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/report`);
});

// Reports that have begun are sent to their end.
shutDownOnSignals(server, shutDown);
