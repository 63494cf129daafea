'use strict';

// The processes that measure rows of one case, and the parent's side of them: it starts them and
// asks them for samples, and keeps track of them all, so that none is left when the run ends. The
// arguments of such a process are the name of the case and whether the run is a quick one.

const { fork } = require('node:child_process');

// No sample takes this long unless a task was lost.
const TIMEOUT = 120_000;

const running = new Set();

class CaseProcess {
  #child;
  #settle;
  #timer;
  #closes;

  constructor({ name, close }, { quick }) {
    this.#closes = close !== undefined;
    const env = { ...process.env, NODE_ENV: 'production' };
    this.#child = fork(__filename, [name, quick ? 'quick' : 'full'], {
      env,
      execArgv: ['--expose-gc'],
      // Standard output is reserved for the table.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    running.add(this);
    this.#child.on('message', (message) => this.#finish(message));
    this.#child.on('error', (error) => this.#finish({ error: error.message }));
    this.#child.on('exit', (code, signal) => {
      running.delete(this);
      this.#finish({ error: `its process ended with ${signal ?? `exit code ${code}`}` });
    });
  }

  // Resolves to { result } or to { error }.
  ask(message) {
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer = setTimeout(() => {
        this.#finish({ error: `no answer after ${TIMEOUT / 1000} s: a task was lost` });
        this.#kill();
      }, TIMEOUT);
      // If the process is gone, the events above report it as well.
      this.#child.send(message, (error) => {
        if (error) this.#finish({ error: error.message });
      });
    });
  }

  end() {
    if (!this.#closes) return this.#kill();
    running.delete(this);
    if (this.#child.connected) this.#child.disconnect();
  }

  #kill() {
    running.delete(this);
    this.#child.kill('SIGKILL');
  }

  #finish(answer) {
    clearTimeout(this.#timer);
    this.#settle?.(answer);
    this.#settle = undefined;
  }
}

function endAll() {
  for (const each of running) each.end();
}

// Answers each message of the parent with a sample.
function measureCase(name, quick) {
  const { allCases } = require('./cases/index.js');
  const { collect } = require('../garbage.js');
  const { measure, close } = allCases({ quick: quick === 'quick' })
    .find((one) => one.name === name);

  async function answer({ row, isWarmUp }) {
    try {
      collect();
      return { result: await measure(row, { isWarmUp }) };
    } catch (error) {
      return { error: error instanceof Error ? error.stack : String(error) };
    }
  }

  process.on('message', async (message) => {
    const answered = await answer(message);
    if (process.connected) process.send(answered);
  });

  // The parent has finished or died.
  process.on('disconnect', async () => {
    await close?.();
    process.exit();
  });
}

if (require.main === module) measureCase(...process.argv.slice(2));

module.exports = { CaseProcess, endAll };
