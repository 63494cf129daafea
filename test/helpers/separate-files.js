'use strict';

// Root hooks of mocha. A process of mocha runs several files: tasks of one that never settle would
// count in what another file drains or watches.

// The exports of the copies of the package; see lib/loading/copies.js.
const COPIES = Symbol.for('uv-scheduler.binding');

// Rejects all tasks. While a referenced one runs, drain() ends only at its timeout, which also
// rejects those with `ref: false`.
async function rejectTasks({ drain, scheduler }) {
  const endless = scheduler.postTask(() => new Promise(() => {}));
  endless.catch(() => {});
  await drain({ timeout: 0 });
}

const mochaHooks = {
  // Most files do not load the package in mocha's own process, and the hook does not either.
  async afterAll() {
    for (const api of globalThis[COPIES]?.values() ?? []) await rejectTasks(api);
  },
};

module.exports = { mochaHooks };
