'use strict';

// The servers that are compared: all render the same pages, in one go or in pieces of which each
// may be followed by a pause.

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { currentTaskSignal, pieces, scheduler, shouldYield } = require('../..');
const { controllerFor, createAdmission } = require('../../dist/http.js');
const { now } = require('../harness/clients');
const { spin, spinWithPauses } = require('../harness/spin');
const { MIXES, kindOf } = require('./mixes');

const NAMES = {
  plain: 'plain Node',
  immediate: 'setImmediate, each ms',
  controllerFor: 'uv-scheduler, tasks by controllerFor()',
  admission: 'uv-scheduler, createAdmission()',
  computing: 'uv-scheduler, createAdmission(), computes before it awaits',
};

const BODY = '<p>A page</p>\n'.repeat(300);

// The time for which a loop with setImmediate() goes on without a pause, in ms.
const IMMEDIATE_MS = 1;

function* repeat(count, ms) {
  for (let i = 0; i < count; i++) yield ms;
}

// By name: runs `count` pieces of `ms` each.
const IDIOMS = {
  plain({ count, ms }) {
    for (let i = 0; i < count; i++) spin(ms);
  },
  immediate: (kind) => spinWithPauses(kind, IMMEDIATE_MS),
  async computing({ count, ms }) {
    for (let i = 0; i < count; i++) {
      spin(ms);
      if (shouldYield()) await scheduler.yield();
    }
  },
  async pieces({ count, ms }, signal = undefined) {
    for await (const piece of pieces(repeat(count, ms), { signal })) spin(piece);
  },
};

let visitors = 0;

const keyOf = ({ key, ownKeys }) => (ownKeys ? `visitor ${++visitors}` : key);

// Returns what renders in tasks with the signal of a request.
function createPosting(response, options) {
  const { signal } = controllerFor(response, options);
  return (kind) => scheduler.postTask(() => IDIOMS.pieces(kind, signal), { signal });
}

// Makes a listener of an admission. A page is rendered by `render`.
const createAdmitted = (listen, render, { kindFor, kinds, priority = 'user-visible', mayRefuse }) =>
  createAdmission({
    classify: () => priority,
    fairnessKey: (request) => keyOf(kindFor(request)),
    fairnessWeight: (wanted) => kinds.find(({ key }) => key === wanted)?.weight,
    // Where no other contender refuses a request, neither does this one.
    refuseAfter: mayRefuse ? undefined : { [priority]: Infinity },
    // A request that never ends would be raised above those that it is measured beside.
    raiseAfter: { background: Infinity },
  }).handler((request, response) => {
    // An event follows a timer, which is no task. A page is one already.
    const isPage = kindFor(request).every === undefined;
    return listen(request, response, isPage ? render : createPosting(response));
  });

// By name: makes a listener of listen(request, response, render) whose requests are known. The
// other argument is the mix, and `kindFor(request)`.
const REQUESTS = {
  controllerFor: (listen, { kindFor, priority }) => (request, response) => {
    const kind = kindFor(request);
    const options = { priority, fairnessKey: keyOf(kind), fairnessWeight: kind.weight };
    return listen(request, response, createPosting(response, options));
  },
  admission: (listen, mix) => {
    const render = (kind) => IDIOMS.pieces(kind, currentTaskSignal());
    return createAdmitted(listen, render, mix);
  },
  computing: (listen, mix) => createAdmitted(listen, IDIOMS.computing, mix),
};

// Sends an event each so many ms, until its visitor leaves. Its work is rendered by `render`.
async function sendEvents(response, { every, ...work }, render) {
  const begin = now();
  for (let i = 1; ; i++) {
    const due = begin + i * every;
    await sleep(Math.max(0, Math.ceil(due - now())));
    if (response.destroyed) return;
    await render(work);
    response.write(`data: ${due}\n\n`);
  }
}

// Returns a server that does not listen yet.
function createContender({ contender, mix }) {
  const kindFor = ({ url }) => kindOf(MIXES[mix], url.slice(1));
  const listen = async (request, response, render = IDIOMS[contender]) => {
    const kind = kindFor(request);
    try {
      if (kind.every !== undefined) return await sendEvents(response, kind, render);
      await render(kind);
      response.end(BODY);
    } catch (error) {
      // The visitor has left.
      if (error.name !== 'AbortError') throw error;
    }
  };
  const listener = REQUESTS[contender]?.(listen, { ...MIXES[mix], kindFor });
  return http.createServer(listener ?? ((request, response) => listen(request, response)));
}

module.exports = { IDIOMS, NAMES, createContender };
