'use strict';

// The thread that answers while the watched one computes. It runs from its text, as that of
// reports: see lib/watch/watching-thread.js, and lib/watch/heartbeat.js for `countQuiet`.
//
// It asks the watched thread only when a client asks, and waits for an answer for a short time:
// without one, the thread is busy, and the last answer counts.

function healthThread(countQuiet) {
  const http = require('node:http');
  const { BroadcastChannel, workerData } = require('node:worker_threads');

  const { asks, host, listening, period, port, started, states, stuckAfter, threadId, words } =
    workerData;

  // How long the watched thread may take to answer, in ms: less than the second that a kubelet
  // waits. Without an answer to the first one it is busy.
  const SOON = 100;
  const PATIENCE = 600;

  // A client may take so long to send its request, in ms.
  const REQUEST = 5000;

  const TEXT = 'text/plain; charset=utf-8';

  const counter = countQuiet(words, period);
  setInterval(() => counter.look(), period);

  // By name: the last answer, with the time when it came; and of a question without an answer the
  // functions that end the waits for it.
  const last = new Map();
  const asked = new Map();

  // The last report on the turn under way, from the thread that writes those to standard error.
  let report;
  new BroadcastChannel('uv-scheduler:stuck').onmessage = ({ data }) => {
    if (data.threadId === threadId) report = { word: Atomics.load(words, 0), lines: data.lines };
  };

  port.on('message', ({ name, value }) => {
    last.set(name, { at: counter.now(), value });
    const waiting = asked.get(name) ?? [];
    asked.delete(name);
    for (const end of waiting) end(true);
  });

  // Fulfils with whether the watched thread has answered within so many ms. A thread that is stuck
  // gets one question, however many clients ask.
  function ask(name, patience) {
    if (!asked.has(name)) {
      asked.set(name, new Set());
      port.postMessage(name);
    }
    const waiting = asked.get(name);
    return new Promise((resolve) => {
      const timer = setTimeout(end, patience, false);
      waiting.add(end);

      function end(isAnswered) {
        clearTimeout(timer);
        waiting.delete(end);
        resolve(isAnswered);
      }
    });
  }

  // Asked behind a question: the thread may have become free just now.
  function isStuck() {
    counter.look();
    return counter.stuckFor() >= stuckAfter;
  }

  async function live() {
    const isFree = await ask('live', SOON);
    if (isFree || !isStuck()) return { status: 200, text: isFree ? 'ok' : 'busy' };
    const lines = report && counter.isStill(report.word) ? `\n${report.lines}` : '';
    return { status: 503, text: `stuck${lines}` };
  }

  async function ready() {
    await ask('ready', asks ? PATIENCE : SOON);
    const reason = notReady();
    return reason === undefined ? { status: 200, text: 'ok' } : { status: 503, text: reason };
  }

  function notReady() {
    const state = Atomics.load(words, 1);
    if (state !== listening) return states[state];
    if (isStuck()) return 'stuck';
    if (!asks) return undefined;
    return last.has('ready') ? last.get('ready').value : 'ready() has not answered';
  }

  async function snapshot(name, advice, { headers }) {
    await ask(name, PATIENCE);
    if (!last.has(name)) return { status: 503, text: `${name}: the thread has not answered yet` };
    const { at, value: { error, texts } } = last.get(name);
    if (error !== undefined) return { status: 503, text: `${name}: ${error}` };
    if (texts === undefined) return { status: 404, text: `${name}: ${advice}` };
    const { accept = '' } = headers;
    const types = Object.keys(texts);
    const type = types.find((each) => accept.includes(each.split(';')[0])) ?? types[0];
    const age = (counter.now() - at) / 1e3;
    // Prometheus reads no headers.
    const isMetrics = name === 'metrics';
    const text = isMetrics ? `${ageMetric(age)}${texts[type]}` : texts[type];
    return { status: 200, type, age: Math.floor(age), text };
  }

  function ageMetric(age) {
    const name = 'uv_scheduler_snapshot_age_seconds';
    return `# HELP ${name} How old these metrics are: the thread may be busy.\n` +
      `# TYPE ${name} gauge\n${name} ${age.toFixed(3)}\n`;
  }

  const METRICS = 'collectTaskMetrics() of uv-scheduler/prometheus shows its register here';
  const GUARD = 'the program has no guard';
  const BLOCKED = 'uv-scheduler/report shows its last reports here';
  const paths = new Map([
    ['/live', live],
    ['/ready', ready],
    ['/guard', (request) => snapshot('guard', GUARD, request)],
    ['/blocked', (request) => snapshot('blocked', BLOCKED, request)],
    ['/metrics', (request) => snapshot('metrics', METRICS, request)],
  ]);

  async function answer(request) {
    if (!['GET', 'HEAD'].includes(request.method)) return { status: 405, text: 'GET' };
    const find = paths.get(request.url.split('?')[0]);
    return find?.(request) ?? { status: 404, text: [...paths.keys()].join('\n') };
  }

  const server = http.createServer({ requestTimeout: REQUEST }, async (request, response) => {
    const { status, type = TEXT, age, text } = await answer(request);
    const headers = { 'Content-Type': type, 'Cache-Control': 'no-store' };
    if (age !== undefined) headers.Age = age;
    response.writeHead(status, headers).end(text);
  });

  const tell = (message) => {
    port.postMessage(message);
    Atomics.store(started, 0, 1);
    Atomics.notify(started, 0);
  };
  const fail = ({ code, message }) => {
    tell({ error: { code, message } });
    process.exit();
  };
  try {
    server.once('error', fail);
    server.listen({ host, port: workerData.number }, () => {
      server.off('error', fail);
      tell({ address: server.address() });
    });
  } catch (error) {
    fail(error);
  }
}

module.exports = { healthThread };
