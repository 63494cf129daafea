'use strict';

// All copies of the package in an environment export the same scheduler, so that there is one
// enqueue order. The addon and the portable host are two schedulers that share no order. While
// UV_SCHEDULER_DISABLE turns the scheduler off, both are one.

const { PROTOCOL } = require('../loop/protocol.js');

const BINDING = Symbol.for('uv-scheduler.binding');

// Only copies with the same protocol number can share a scheduler.
const KEYS = { addon: PROTOCOL, portable: `portable ${PROTOCOL}`, off: `off ${PROTOCOL}` };

function warn(text, code) {
  const message = `uv-scheduler was loaded twice in this process: ${text}`;
  process.emitWarning(message, { type: 'UvSchedulerWarning', code });
}

const TWO_HOSTS =
  'with its native addon, and as WebAssembly. The tasks of the two share no order. Install one ' +
  'copy, or set UV_SCHEDULER_PORTABLE=1.';
const TWO_VERSIONS =
  'in two versions that cannot share a scheduler. The tasks of the two share no order, and their ' +
  'entry points know nothing of each other. Install one version: `npm ls uv-scheduler` lists them.';

// The exports of the first copy with this host ('addon', 'portable' or 'off'). `load()` makes them.
function shareCopies(host, load) {
  if (globalThis[BINDING] === undefined) {
    Object.defineProperty(globalThis, BINDING, { __proto__: null, value: new Map() });
  }
  const loaded = globalThis[BINDING];
  const key = KEYS[host];
  if (!loaded.has(key)) {
    const isOther = [...loaded.keys()].some((each) => !Object.values(KEYS).includes(each));
    loaded.set(key, load());
    if (loaded.has(KEYS.addon) && loaded.has(KEYS.portable)) {
      warn(TWO_HOSTS, 'UV_SCHEDULER_TWO_HOSTS');
    }
    if (isOther) warn(TWO_VERSIONS, 'UV_SCHEDULER_TWO_VERSIONS');
  }
  return loaded.get(key);
}

module.exports = { shareCopies };
