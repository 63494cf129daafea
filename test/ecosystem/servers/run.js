'use strict';

// Asks a server: `node run.js <server>`. Prints as JSON, for the server without an admission, what
// becomes of the controllers of a request that is answered and of one whose client leaves. And with
// an admission: the effective priority of a yield() behind the parser for a request of each
// priority, what a refused request is answered, and what ends the work when the client leaves.

const { setTimeout: wait } = require('node:timers/promises');
const { controllerFor, createAdmission } = require('../../../dist/http.js');
const { currentTaskSignal, drain, scheduler } = require('../../..');
const { MOMENT, Observed } = require('../../fixtures/http/observe.js');
const { occupy, until } = require('../../helpers/admission.js');
const { effectivePriority } = require('../../helpers/tasks.js');
const { SERVERS, inject } = require('./servers.js');

// More than one read of a socket.
const SIZE = 90_000;

// A machine that stands still for a while must not refuse the first requests.
const BOUND = 200;

// In the place of an admission.
const NONE = {
  middleware: (request, response, next) => next(),
  admit: async (request, response, next) => next(),
  handler: (listener) => listener,
};

function body(isJson) {
  if (isJson) return JSON.stringify({ text: 'a'.repeat(SIZE) });
  const form = new FormData();
  form.append('file', new Blob(['a'.repeat(SIZE)]), 'a.txt');
  return form;
}

// Sends requests to a server that starts.
async function clientOf({ start, isJson }, admission, work) {
  const server = await start(admission, work);
  server.on('error', () => {});
  return (priority, signal) => {
    const headers = { 'x-priority': priority };
    if (isJson) headers['Content-Type'] = 'application/json';
    const url = `http://127.0.0.1:${server.address().port}/`;
    return fetch(url, { method: 'POST', body: body(isJson), headers, signal });
  };
}

// A controller of a response, or of the signal of a request.
class Controlled {
  #source;
  #observed;

  constructor(source) {
    this.#source = source;
    const isSignal = source instanceof AbortSignal;
    this.#observed = isSignal ? { controller: controllerFor(source) } : new Observed(source);
  }

  get signal() {
    return this.#observed.controller.signal;
  }

  toString() {
    if (this.#observed instanceof Observed) return `${this.#observed}`;
    if (!this.signal.aborted) return 'not aborted';
    return this.signal.reason === this.#source.reason ? 'reason of the signal' : 'another reason';
  }
}

async function runPlain(given) {
  let last;
  let isLeaving = false;
  const work = async (source) => {
    last = new Controlled(source);
    if (isLeaving) await new Promise(() => {});
    return 'answer';
  };
  const ask = async () => given === undefined
    ? inject(NONE, work)
    : (await (await clientOf(given, NONE, work))('background')).text();
  const found = [await ask()];
  await wait(MOMENT);
  found.push(`${last}`);
  if (given === undefined) return found;
  const send = await clientOf(given, NONE, work);
  isLeaving = true;
  last = undefined;
  const visitor = new AbortController();
  send('background', visitor.signal).catch(() => {});
  await until(() => last !== undefined);
  await wait(MOMENT);
  if (last.signal.aborted) return [...found, 'aborted too early'];
  visitor.abort();
  await until(() => last.signal.aborted);
  await wait(MOMENT);
  return [...found, `${last}`];
}

async function runAdmitted(given) {
  let isLeaving = false;
  let isWorking = false;
  let ended;
  const work = async () => {
    if (!isLeaving) return `${await effectivePriority((mark) => scheduler.yield().then(mark))}`;
    isWorking = true;
    try {
      for (;;) await scheduler.yield({ signal: currentTaskSignal() });
    } catch (error) {
      ended = error.name;
      throw error;
    }
  };
  const send = await clientOf(given, createAdmission({
    classify: ({ headers }) => headers['x-priority'],
    refuseAfter: { background: BOUND },
  }), work);
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

async function main(given) {
  const plain = await runPlain(given);
  const found = given === undefined ? { plain } : { plain, admitted: await runAdmitted(given) };
  process.stdout.write(JSON.stringify(found));
  // A request that was never answered holds some servers.
  process.exit();
}

main(SERVERS[process.argv[2]]);
