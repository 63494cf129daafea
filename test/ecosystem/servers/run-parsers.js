'use strict';

// Asks a server with an admission and a body parser: `node run-parsers.js <parser>`. Prints as JSON
// the effective priority of a yield() behind the parser for a request of each priority, what ends
// the work when the client leaves, and what a refused request is answered.

const { createAdmission } = require('../../../dist/http.js');
const { currentTaskSignal, drain, scheduler } = require('../../..');
const { occupy, until } = require('../../helpers/admission.js');
const { effectivePriority } = require('../../helpers/tasks.js');
const parsers = require('./parsers.js');

const { start, isJson } = parsers[process.argv[2]];

// More than one read of a socket.
const SIZE = 90_000;

function body() {
  if (isJson) return JSON.stringify({ text: 'a'.repeat(SIZE) });
  const form = new FormData();
  form.append('file', new Blob(['a'.repeat(SIZE)]), 'a.txt');
  return form;
}

let isLeaving = false;
let isWorking = false;
let ended;

async function work() {
  if (!isLeaving) return `${await effectivePriority((mark) => scheduler.yield().then(mark))}`;
  isWorking = true;
  try {
    for (;;) await scheduler.yield({ signal: currentTaskSignal() });
  } catch (error) {
    ended = error.name;
    throw error;
  }
}

// A machine that stands still for a while must not refuse the first requests.
const BOUND = 200;

async function main() {
  const admission = createAdmission({
    classify: ({ headers }) => headers['x-priority'],
    refuseAfter: { background: BOUND },
  });
  const server = await start(admission, work);
  server.on('error', () => {});
  const send = (priority, signal) => {
    const headers = { 'x-priority': priority };
    if (isJson) headers['Content-Type'] = 'application/json';
    const url = `http://127.0.0.1:${server.address().port}/`;
    return fetch(url, { method: 'POST', body: body(), headers, signal });
  };
  const found = [];
  for (const priority of ['user-blocking', 'user-visible', 'background']) {
    found.push(await (await send(priority)).text());
  }
  const release = occupy();
  found.push((await send('background')).status);
  await release();
  isLeaving = true;
  const visitor = new AbortController();
  const left = send('background', visitor.signal).catch(() => {});
  await until(() => isWorking);
  visitor.abort();
  await until(() => ended !== undefined);
  await left;
  await drain();
  return [...found, ended];
}

// Frameworks report the error of the work whose client has left.
console.error = () => {};

main().then((found) => {
  process.stdout.write(JSON.stringify(found));
  process.exit();
});
