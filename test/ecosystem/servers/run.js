'use strict';

// Asks the server of one framework: `node run.js <framework>`. Prints as JSON what became of the
// answers and of the controllers.

const { setTimeout: wait } = require('node:timers/promises');
const { controllerFor } = require('../../../dist/http.js');
const { MOMENT, Observed, message } = require('../../fixtures/http/observe.js');
const { ask, connect: dial, until } = require('../../helpers/admission.js');
const frameworks = require('./frameworks.js');

const { start, inject } = frameworks[process.argv[2]];

const HEADERS = { 'Content-Type': 'text/plain' };

const all = [];

function observe(source) {
  const isSignal = source instanceof AbortSignal;
  all.push(isSignal ? { controller: controllerFor(source), source } : new Observed(source));
}

// The fate of the last controller. One of a signal has its reason.
function last() {
  const { controller: { signal }, source } = all.at(-1);
  if (source === undefined) return String(all.at(-1));
  if (!signal.aborted) return 'not aborted';
  return signal.reason === source.reason ? 'reason of the signal' : 'another reason';
}

async function leave(port, text) {
  const count = all.length;
  const client = dial(port, text);
  await until(() => all.length > count);
  await wait(MOMENT);
  const { signal } = all.at(-1).controller;
  const isEarly = signal.aborted;
  client.destroy();
  await until(() => signal.aborted);
  await wait(MOMENT);
  return isEarly ? 'aborted too early' : last();
}

async function main() {
  if (inject !== undefined) {
    const answer = await inject(observe);
    await wait(MOMENT);
    return [answer, last()];
  }
  const server = await start(observe);
  const { port } = server.address();
  const found = [(await ask(port, '/answer')).text];
  await wait(MOMENT);
  found.push(last());
  const echo = { method: 'POST', headers: HEADERS, body: 'body' };
  found.push((await ask(port, '/echo', echo)).text);
  await wait(MOMENT);
  found.push(last());
  found.push(await leave(port, message('GET', { path: '/never' })));
  return found;
}

main().then((found) => {
  process.stdout.write(JSON.stringify(found));
  // A request that was never answered holds some servers.
  process.exit();
});
