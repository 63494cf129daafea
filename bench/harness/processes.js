'use strict';

// The processes of a benchmark, a load process and servers, each bound to its processor, so that
// load and servers do not share one; and what other processes have taken all the same.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');

const LOAD = require.resolve('./load');

// The unit of /proc/stat.
const MILLISECONDS_PER_TICK = 10;

const canPin = () => spawnSync('taskset', ['-c', '0', 'true']).status === 0;

// The processors of the load and of the servers; null where processes cannot be bound to one.
function chooseProcessors() {
  const count = os.availableParallelism();
  if (count < 2 || !canPin()) return { load: null, one: null, all: null, count };
  return { load: [0], one: [1], all: Array.from({ length: count }, (_, i) => i), count };
}

// Returns a program and its arguments that run on the processors.
function bound(processors, program, args) {
  if (processors === null) return [program, args];
  return ['taskset', ['-c', processors.join(), program, ...args]];
}

const readWords = (file, first) =>
  fs.readFileSync(file, 'utf8').split('\n').find((line) => line.startsWith(first)).split(/\s+/);

// Milliseconds in which the host of a virtual machine had the one processor of this process.
function readStolen() {
  const [, processors] = readWords('/proc/self/status', 'Cpus_allowed_list');
  if (!/^\d+$/.test(processors)) return 0;
  const stolen = readWords('/proc/stat', `cpu${processors} `)[8];
  return Number(stolen) * MILLISECONDS_PER_TICK;
}

// Milliseconds since the start in which others had the processor of this thread. Other threads of
// its own process are none: V8 collects garbage and compiles in them. Null where the kernel does
// not tell.
function readWaiting() {
  try {
    const [ran, waited] = readWords('/proc/self/schedstat', '').map((each) => Number(each) / 1e6);
    const ofOwnThreads = cpuSince() - ran;
    return waited - ofOwnThreads + readStolen();
  } catch {
    return null;
  }
}

// The processor time of this process since a reading of process.cpuUsage(), or in all, in ms.
function cpuSince(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

// Collects all garbage of a process with --expose-gc.
function collect() {
  globalThis.gc();
  // Frees what a finalizer or a weak reference still held.
  globalThis.gc();
}

function createProcesses(startChild) {
  const processors = chooseProcessors();

  // Starts Node with a file at a `place`, 'load', 'one' or 'all' of the processors, or 'any',
  // and in a control `group`. `ask(command, options)` resolves to its answer.
  function start(file, { args = [], execArgv = process.execArgv, place = 'one', group } = {}) {
    let [program, rest] = bound(processors[place] ?? null, process.execPath, execArgv);
    if (group !== undefined) [program, rest] = group.command(program, rest);
    const child = startChild(file, args, rest, program);
    const ask = async (command, options) => (await child.ask({ ...options, command })).result;
    return { ask, answer: child.answer, end: child.end };
  }

  // Starts a server. Resolves when it listens, with all that it has announced.
  async function startServer(file, options, settings) {
    const server = start(file, { ...settings, args: [JSON.stringify(options)] });
    return { ...server, ...await server.answer() };
  }

  return { processors, pinned: processors.one !== null, start, startServer };
}

// Starts the load process, or another program, and what it opens its connections to servers with:
// `page` is a path that they answer. `measure()` resolves to its answer to a command, with figures
// of the server in ms.
function startLoad({ start }, program = LOAD) {
  const load = start(program, { place: 'load' });
  const connect = (urls, page, transport) => load.ask('open', { urls, path: page, transport });

  async function measure(server, { page, transport }, command, settings) {
    if (page !== undefined) await connect([server.url], page, transport);
    const before = await server.ask('read');
    const result = await load.ask(command, { url: server.url, ...settings });
    const after = await server.ask('read');
    return {
      ...result,
      cpu: after.cpu - before.cpu,
      rendered: after.rendered - before.rendered,
      work: after.work,
      // Of a server that always waits or works, this is the part that others took.
      waiting: before.waiting === null ? null : after.waiting - before.waiting,
    };
  }

  return { ...load, connect, measure };
}

module.exports = { bound, collect, cpuSince, createProcesses, readWaiting, startLoad };
