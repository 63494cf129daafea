'use strict';

// The processes of a benchmark, each bound to its processor: a load process, and servers.

const { bound, chooseProcessors } = require('./processors');

function createProcesses(startChild) {
  const processors = chooseProcessors();

  /**
   * Starts Node with a file at a `place`, 'load', 'one' or 'all' of the processors, or 'any',
   * and in a control `group`. `ask(command, options)` resolves to its answer.
   */
  function start(file, { args = [], execArgv = process.execArgv, place = 'one', group } = {}) {
    let [program, rest] = bound(processors[place] ?? null, process.execPath, execArgv);
    if (group !== undefined) [program, rest] = group.command(program, rest);
    const child = startChild(file, args, rest, program);
    const ask = async (command, options) => (await child.ask({ ...options, command })).result;
    return { ask, answer: child.answer, end: child.end, pid: child.pid };
  }

  /** Starts a server. Resolves when it listens, with all that it has announced. */
  async function startServer(file, options, settings) {
    const server = start(file, { ...settings, args: [JSON.stringify(options)] });
    return { ...server, ...await server.answer() };
  }

  return { processors, pinned: processors.one !== null, start, startServer };
}

module.exports = { createProcesses };
