'use strict';

// What createAdmission() costs: `node bench/admission.js` prints the time of a request through it
// beside postTask() with the signal of controllerFor(), and the time of a refusal. The responses
// have no sockets, so that only the package and Node's own headers are measured.

const http = require('node:http');
const { median } = require('simple-statistics');

const { scheduler } = require('..');
const { createAdmission, controllerFor } = require('uv-scheduler/http');

// So many arrive at once: with more, garbage that survives is a large part of the time.
const REQUESTS = 10;
const ROUNDS = 3000;
const WARM_UP = 1000;

const AT_MOST = { admitted: 5, refused: 50 };

const exchange = () => {
  const request = new http.IncomingMessage(null);
  return { request, response: new http.ServerResponse(request) };
};

// Ends the response, and says what its connection would: all was sent.
function finish(response) {
  response.end();
  response.emit('finish');
  response.emit('close');
}

function byHand({ response }) {
  const { signal } = controllerFor(response);
  const run = () => {
    const ended = new Promise((resolve) => response.on('close', resolve));
    finish(response);
    return ended;
  };
  return scheduler.postTask(run, { signal }).catch(() => {});
}

function admitting() {
  const { admit } = createAdmission({ refuseAfter: { 'user-visible': Infinity } });
  return ({ request, response }) => admit(request, response, () => finish(response));
}

// All are refused, as one waits.
function refusing() {
  const { admit } = createAdmission({ maxQueued: 1 });
  return (each) => admit(each.request, each.response, () => finish(each.response));
}

// Microseconds for each request.
async function time(handle) {
  const exchanges = Array.from({ length: REQUESTS }, exchange);
  const start = performance.now();
  await Promise.all(exchanges.map(handle));
  return (performance.now() - start) * 1e3 / REQUESTS;
}

async function main() {
  const rows = { 'by hand': byHand, admitted: admitting(), refused: refusing() };
  const times = Object.fromEntries(Object.keys(rows).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, handle] of Object.entries(rows)) times[name].push(await time(handle));
  }
  const [hand, admitted, refused] = Object.values(times).map((each) => median(each.slice(WARM_UP)));
  const more = admitted - hand;
  console.log(`postTask() with controllerFor(): ${hand.toFixed(1)} µs`);
  console.log(`admitted: ${admitted.toFixed(1)} µs, ${more.toFixed(1)} more, at most ` +
    `${AT_MOST.admitted}`);
  console.log(`refused: ${refused.toFixed(1)} µs, at most ${AT_MOST.refused}`);
  if (more > AT_MOST.admitted || refused > AT_MOST.refused) process.exitCode = 1;
}

main();
