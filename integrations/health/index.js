'use strict';

// serveHealth(): answers the probes of an orchestrator, and shows metrics, from a thread of its
// own: see thread.js. This side starts the thread, tells it that this one turns and takes requests,
// and answers its questions.

const { isIP } = require('node:net');
const { MessageChannel, receiveMessageOnPort, threadId } = require('node:worker_threads');
// Loaded first, as it throws in an unsupported host.
const { time, watch, webidl } = require('../internal.js');
const { Overload } = require('./overload.js');
const { LISTENING, readiness, watchServers } = require('./readiness.js');
const { snapshots } = require('./snapshots.js');
const { healthThread } = require('./thread.js');

const { clearTimer, setTimer } = time;
const { Heartbeat, countQuiet, mayStart, startThread } = watch;

const OPERATION = "'serveHealth'";
const OPTIONS = new webidl.Parameter(OPERATION, 'the argument options');
const MEMBERS = {
  port: toPort,
  host: webidl.toString,
  stuckAfter: webidl.toBound,
  ready: webidl.toFunction,
  admission: toAdmission,
};

const MOST_PORT = 65_535;
const DEFAULT_STUCK_AFTER = 5000;

// What /ready says, by the state of readiness.js.
const STATES = ['starting', 'listening', 'shutting down'];

// How long ready() may take, in ms; the client waits longer.
const PATIENCE = 400;

// The thread starts in a fiftieth of a second. A machine may stand still.
const START = 30_000;

class HealthServer {
  url;
  #heartbeat;
  #port;
  #ready;
  #overload;
  #worker;
  #ends;
  #isReady;

  constructor({ port = 0, host, stuckAfter = DEFAULT_STUCK_AFTER, ready, admission }) {
    this.#ready = ready;
    this.#overload = admission && new Overload(admission);
    const { port1, port2 } = new MessageChannel();
    const started = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    this.#heartbeat = new Heartbeat(stuckAfter, 2);
    const { period, words } = this.#heartbeat;
    this.#port = port1;
    this.#worker = startThread(healthThread, 'health', {
      asks: (ready ?? admission) !== undefined, host, listening: LISTENING, number: port, period,
      port: port2, started, states: STATES, stuckAfter, threadId, words,
    }, { parts: [countQuiet], transferList: [port2] });
    this.#worker.on('error', ({ message }) => {
      process.emitWarning(`The health server has ended: ${message}`, 'UvSchedulerWarning');
    });
    const changed = () => Atomics.store(words, 1, readiness.state);
    const unfollow = readiness.follow(changed);
    changed();
    const unfollowSnapshots = snapshots.follow((name, value) => this.#send(name, value));
    this.#ends = [unfollow, unfollowSnapshots];
    this.url = this.#awaitStart(started);
    port1.on('message', (name) => this.#answer(name));
    port1.unref();
  }

  // Blocks this thread, so that the server answers from here on, also while the program loads.
  #awaitStart(started) {
    Atomics.wait(started, 0, 0, START);
    const { message = {} } = receiveMessageOnPort(this.#port) ?? {};
    if (message.address !== undefined) return urlOf(message.address);
    void this.stop();
    const { code, message: text = 'the thread does not start' } = message.error ?? {};
    const error = new Error(`Failed to execute ${OPERATION}: ${text}`);
    throw code === undefined ? error : Object.assign(error, { code });
  }

  async #answer(name) {
    this.#heartbeat.beat();
    if (name === 'live') this.#send(name);
    else if (name === 'ready') this.#send(name, await this.#reasonNotReady());
    else this.#send(name, await snapshots.read(name));
  }

  #send(name, value) {
    this.#port.postMessage({ name, value });
  }

  async #reasonNotReady() {
    // Asked in any case, as the looks at the counts are a series.
    if (this.#overload?.lasts) return 'overloaded';
    if (this.#ready === undefined) return undefined;
    let timer;
    const isLate = new Promise((resolve) => {
      timer = setTimer(() => resolve('ready() has not answered'), PATIENCE);
    });
    // A check that hangs is not called again.
    this.#isReady ??= this.#askReady();
    try {
      return await Promise.race([this.#isReady, isLate]);
    } finally {
      clearTimer(timer);
    }
  }

  async #askReady() {
    try {
      return await this.#ready.call(undefined) ? undefined : 'ready() says no';
    } catch (error) {
      return `ready() has failed: ${error?.message ?? error}`;
    } finally {
      this.#isReady = undefined;
    }
  }

  async stop() {
    this.#heartbeat.stop();
    for (const end of this.#ends) end();
    this.#port.close();
    await this.#worker.terminate();
  }
}

function urlOf({ address, port }) {
  const isAny = ['::', '0.0.0.0'].includes(address);
  const host = isIP(address) === 6 ? `[${address}]` : address;
  return `http://${isAny ? '127.0.0.1' : host}:${port}`;
}

// An environment variable is a string.
function toPort(value, parameter) {
  const port = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (Number.isInteger(port) && port >= 0 && port <= MOST_PORT) return port;
  throw parameter.error(`a port from 0 to ${MOST_PORT}`, value, 'ERR_OUT_OF_RANGE');
}

function toAdmission(value, parameter) {
  if (typeof value?.counts !== 'function') throw parameter.error('an admission', value);
  return value;
}

function serveHealth(options = undefined) {
  const settings = webidl.readOptions(options, OPTIONS, MEMBERS);
  if (!mayStart()) {
    throw new Error(`Failed to execute ${OPERATION}: it starts a thread, for which Node needs ` +
      '--allow-worker');
  }
  const server = new HealthServer(settings);
  return { url: server.url, stop: () => server.stop() };
}

// Servers that listen from now on are seen, also before serveHealth() is called.
watchServers();

module.exports = { serveHealth };
