'use strict';

// Root hooks of mocha. A process of mocha runs several files: tasks of one that never settle would
// count in what another file drains or watches.

const { loadedCopy } = require('../../lib/loading/copies.js');

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
    for (const host of ['addon', 'portable']) {
      const api = loadedCopy(host);
      if (api !== undefined) await rejectTasks(api);
    }
  },
};

module.exports = { mochaHooks };
