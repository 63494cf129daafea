'use strict';

// Starts the child processes of a program, matches their answers to the requests, and ends them
// all; and answers the requests in such a process.

const { fork } = require('node:child_process');
const { once } = require('node:events');

/** @param {string} program its name, for the message about a failure */
function createChildren(program) {
  const children = new Set();
  let stopping = false;

  /** Ends all children and then this process. */
  function finish(error, code = error ? 1 : 0) {
    if (stopping) return;
    stopping = true;
    if (error) process.stderr.write(`\n${program}: ${error.message}\n`);
    process.exitCode = code;
    for (const child of children) child.kill('SIGKILL');
  }

  /**
   * Starts a child process that answers each message with one; it must not end by itself. Another
   * `execPath` than Node's has to start Node by its arguments `execArgv`.
   */
  function startChild(file, args = [], execArgv = process.execArgv, execPath = process.execPath) {
    const child = fork(file, args, {
      env: { ...process.env, NODE_ENV: 'production' },
      execArgv,
      execPath,
      // Children print only complaints; standard output is reserved for the table.
      stdio: ['ignore', 2, 'inherit', 'ipc'],
    });
    children.add(child);
    const waiting = [];
    let failure = null;
    child.on('message', (message) => waiting.shift()?.resolve(message));
    const fail = (error) => {
      failure = error;
      children.delete(child);
      for (const { reject } of waiting.splice(0)) reject(error);
      if (!stopping) finish(error);
    };
    child.on('error', fail);
    child.on('exit', (code, signal) =>
      fail(new Error(`${file} ended unexpectedly (${signal ?? `exit code ${code}`})`)));
    const answer = () => new Promise((resolve, reject) => {
      if (failure !== null) reject(failure);
      else waiting.push({ resolve, reject });
    });
    return {
      pid: child.pid,
      answer,
      ask(message) {
        const answered = answer();
        child.send(message);
        return answered;
      },
      /** Ends it before the others. */
      async end() {
        if (!children.delete(child)) return;
        child.removeAllListeners('exit');
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  return { startChild, finish };
}

/** Carries out the commands that the parent process sends. */
function serveParent(commands) {
  // Ctrl+C reaches the whole process group; the parent ends its children in its own order.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  process.on('message', async (message) => {
    try {
      process.send({ result: await commands[message.command](message) });
    } catch (error) {
      console.error(error);
      process.exit(1);
    }
  });
}

module.exports = { createChildren, serveParent };
