'use strict';

// Replaces an admission if the environment variable UV_SCHEDULER_DISABLE turns admissions off: each
// request is served immediately, as without an admission.

const { recordOf } = require('../requests.js');
const { continueWhenRead } = require('./answer.js');
const { noCounts, toCounts } = require('./counts.js');

class PassThrough {
  // Fulfils with true. As in an admission, the abort of work because the client has left is not an
  // error.
  async admit(request, response, run) {
    const record = recordOf(response, { priority: 'user-visible' });
    try {
      continueWhenRead(request, response);
      await run();
    } catch (error) {
      if (!record.isAbort(error)) throw error;
    }
    return true;
  }

  handle(request, response, run) {
    return this.admit(request, response, run);
  }

  routes() {
    return [];
  }

  read() {
    return toCounts(noCounts(), () => ({ queued: 0, maxRunning: Infinity }));
  }
}

module.exports = { PassThrough };
