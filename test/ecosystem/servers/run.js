'use strict';

// Asks a server: `node run.js <server>`. Prints as JSON, for the server without an admission, what
// becomes of the controllers of a request that is answered and of one whose client leaves. And with
// an admission: the effective priority of a yield() behind the parser for a request of each
// priority, what a refused request is answered, and what ends the work when the client leaves.

const assert = require('node:assert').strict;
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

// A controller of the signal of a request, as Observed is one of a response.
class OfSignal {
  #source;

  constructor(source) {
    this.#source = source;
    this.controller = controllerFor(source);
  }

  toString() {
    const { aborted, reason } = this.controller.signal;
    if (!aborted) return 'not aborted';
    return reason === this.#source.reason ? 'reason of the signal' : 'another reason';
  }
}

// A client that comes, and leaves a moment after the work has begun.
async function comeAndLeave(send, hasBegun, beforeLeaving = () => {}) {
  const visitor = new AbortController();
  const left = send('background', visitor.signal).catch(() => {});
  await until(hasBegun);
  await wait(MOMENT);
  beforeLeaving();
  visitor.abort();
  await left;
}

async function runPlain(given) {
  const all = [];
  const work = async (source) => {
    all.push(source instanceof AbortSignal ? new OfSignal(source) : new Observed(source));
    if (all.length > 1) await new Promise(() => {});
    return 'answer';
  };
  const send = given && await clientOf(given, NONE, work);
  const found = [send ? await (await send('background')).text() : await inject(NONE, work)];
  await wait(MOMENT);
  found.push(`${all[0]}`);
  if (send === undefined) return found;
  const isAborted = () => all[1].controller.signal.aborted;
  await comeAndLeave(send, () => all.length > 1, () => assert(!isAborted()));
  await until(isAborted);
  await wait(MOMENT);
  return [...found, `${all[1]}`];
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
  await comeAndLeave(send, () => isWorking);
  await until(() => ended !== undefined);
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
