'use strict';

// An admission on the clock of a test. Its requests need no server, and timers are fake.

const { channel } = require('node:diagnostics_channel');
const http = require('node:http');
const { PassThrough } = require('node:stream');
const FakeTimers = require('@sinonjs/fake-timers');
const { createAdmission } = require('uv-scheduler/http');
const { createTestScheduler } = require('uv-scheduler/testing');
const { PATIENT, classify } = require('./admission.js');

// For each `describe`: a test scheduler, which moves fake timers unless `areReal`.
function useClock({ areReal = false } = {}) {
  let test;
  let timers;
  beforeEach(() => {
    if (!areReal) timers = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout'] });
    const advanceTimers = areReal ? undefined : (ms) => timers.tick(ms);
    test = createTestScheduler({ advanceTimers, maxTasks: Infinity });
  });
  afterEach(() => {
    timers?.uninstall();
    test.stop();
  });
  return {
    get now() { return test.now; },
    advance: (ms) => test.advance(ms),
    flush: (priority) => test.flush(priority),
    spend: (ms) => test.spend(ms),
  };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A response to a request without a socket.
function makeResponse(url, headers = {}) {
  const members = { method: 'GET', url, headers, complete: true };
  const request = Object.assign(new http.IncomingMessage(), members);
  const response = new http.ServerResponse(request);
  response.assignSocket(new PassThrough());
  return response;
}

// An admission, and `ask(path, headers)`, which sends a request, for which `before(request,
// response)` is called, and returns its response. `settled` has what the promises of the requests
// have become.
function serve(listener, { before, ...options } = {}) {
  const admission = createAdmission({ classify, refuseAfter: PATIENT, ...options });
  const admitted = admission.handler(listener);
  const settled = [];
  const note = (value) => settled.push(value);
  const ask = (url, headers) => {
    const response = makeResponse(url, headers);
    before?.(response.req, response);
    admitted(response.req, response).then(note, note);
    return response;
  };
  return { ...admission, ask, settled };
}

// The client of a response leaves.
const leave = (response) => response.emit('close');

// Resolves to a response when it has ended.
const ended = (response) => new Promise((resolve) => {
  response.on('finish', () => resolve(response));
});

// Lets so many clients call `visit(i)` again and again for so many ms, and lets them end.
async function letVisit(test, count, span, visit) {
  const client = async (_, i) => {
    while (test.now < span) await visit(i);
  };
  let isOver = false;
  const clients = Promise.all(Array.from({ length: count }, client)).then(() => (isOver = true));
  while (!isOver) await test.advance(span);
  await clients;
}

// A server accepts a connection.
const accept = () => channel('net.server.socket').publish({ socket: {} });

module.exports = { accept, ended, leave, letVisit, makeResponse, serve, sleep, useClock };
