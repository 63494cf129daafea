'use strict';

// `node --import uv-scheduler/guard server.js`: an admission in front of the HTTP servers of a
// thread, none of which need know of it; and guard(server, options), for one server. Hooks the
// events of servers, and loads nothing of the package before the first request. An error is a line
// on standard error, and the requests pass by.

const { channel } = require('node:diagnostics_channel');
const net = require('node:net');

const VARIABLE = 'UV_SCHEDULER_GUARD';
const MODES = ['observe', 'enforce', 'off'];
const EVENTS = ['request', 'checkContinue'];

// Several copies of the package, and several flags, hook a thread once.
const SHARED = Symbol.for('uv-scheduler.guard');
const theChannel = channel('uv-scheduler:task:posted');

// The state of all copies: the guards by server and by their options, the guard of all other
// servers, and whether the servers are hooked.
const shared = theChannel[SHARED] ??= {
  guards: new WeakMap(), ofOptions: new WeakMap(), all: undefined, isHooked: false,
};

const DEFAULTS = {};

// The responses of requests that a guard has taken: a listener may emit their events again.
const taken = new WeakSet();

// Whether a request has come over a connection. Tests emit events with objects of their own.
function isReal(request, response) {
  if (typeof response?.writableEnded !== 'boolean' || response.req !== request) return false;
  if (request.httpVersionMajor === 2) return typeof request.stream?.id === 'number';
  return request.socket instanceof net.Socket;
}

function hook({ prototype }) {
  const original = prototype.emit;
  const { emit } = {
    emit(...args) {
      const [event, request, response] = args;
      const guard = EVENTS.includes(event) ? shared.guards.get(this) ?? shared.all : undefined;
      if (guard === undefined || taken.has(response) || !isReal(request, response) ||
          this.listenerCount(event) === 0) {
        return Reflect.apply(original, this, args);
      }
      taken.add(response);
      return guard.take(request, response, () => Reflect.apply(original, this, args));
    },
  };
  Object.defineProperty(prototype, 'emit', {
    __proto__: null, value: emit, writable: true, enumerable: false, configurable: true,
  });
}

// All servers inherit from net.Server. An APM agent that was loaded before may have given those of
// HTTP and HTTPS a method of their own. Otherwise these are not loaded, as that takes milliseconds.
function hookServers() {
  if (shared.isHooked) return;
  shared.isHooked = true;
  for (const name of ['http', 'https']) {
    if (!process.moduleLoadList?.includes(`NativeModule ${name}`)) continue;
    const { Server } = require(`node:${name}`);
    if (Object.hasOwn(Server.prototype, 'emit')) hook(Server);
  }
  hook(net.Server);
}

// A guard that is loaded with its first request.
class Guard {
  #settings;
  #guarding;
  #hasFailed = false;

  constructor(settings) {
    this.#settings = settings;
  }

  take(request, response, pass) {
    if (this.#hasFailed) return pass();
    try {
      this.#guarding ??= require('./guarding.js').begin(this.#settings);
    } catch (error) {
      this.#hasFailed = true;
      complain(error);
      return pass();
    }
    return this.#guarding.take(request, response, pass);
  }
}

function complain({ message }, what = 'uv-scheduler/guard') {
  require('../report/lines.js').writeLine(`${what} is not available: ${message}`);
}

function checkHost() {
  const { bun, deno } = process.versions;
  if (bun === undefined && deno === undefined) return;
  const error = new Error('uv-scheduler/guard needs Node');
  throw Object.assign(error, { code: 'ERR_UV_SCHEDULER_UNSUPPORTED' });
}

// The names in UV_SCHEDULER_DISABLE, as lib/loading/disabled.js reads them.
function isDisabled({ UV_SCHEDULER_DISABLE: names = '' }) {
  return names.split(',').some((each) => /^\s*(?:admission|all)\s*$/i.test(each));
}

// Puts an admission in front of a server. Servers with the same options object share one, as each
// would take itself for alone.
function guard(server, options = DEFAULTS) {
  checkHost();
  if (!(server instanceof net.Server)) {
    const error = new TypeError("Failed to execute 'guard': the argument server must be a server " +
      'of node:http, node:https or node:http2');
    throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' });
  }
  const settings = require('./configuration.js').checked(options, 'guard');
  if (isDisabled(process.env)) return server;
  let own = shared.ofOptions.get(options);
  if (own === undefined) shared.ofOptions.set(options, own = begin(settings));
  shared.guards.set(server, own);
  hookServers();
  return server;
}

function begin(settings) {
  const own = new Guard(settings);
  if (settings.health !== undefined) serveHealthOf(settings.health);
  return own;
}

// Probes come before the first request. The workers of a process have no ports of their own.
function serveHealthOf(health) {
  if (!require('node:worker_threads').isMainThread) return;
  try {
    require('../health/index.js').serveHealth(health);
  } catch (error) {
    complain(error, 'the health server of uv-scheduler/guard');
  }
}

// The settings of the environment: at once, or later those of a file that is a module.
function guardAll() {
  const value = process.env[VARIABLE]?.trim() || 'observe';
  if (value === 'off' || isDisabled(process.env)) return;
  checkHost();
  const done = (settings) => {
    shared.all = begin(settings);
  };
  if (MODES.includes(value)) done({ mode: value });
  else require('./configuration.js').read(value, done, complain);
  hookServers();
}

// Whether this module is loaded by a flag of node, and not by a program for guard().
function isFlagged() {
  const flags = [...process.execArgv, process.env.NODE_OPTIONS].join(' ');
  return /uv-scheduler[\\/](?:dist[\\/])?guard\b/.test(flags) || flags.includes(__filename);
}

if (isFlagged() && shared.all === undefined) {
  try {
    guardAll();
  } catch (error) {
    complain(error);
  }
}

module.exports = { guard };
