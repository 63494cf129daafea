'use strict';

// Replaces an admission if the environment variable UV_SCHEDULER_DISABLE turns admissions off: each
// request is served immediately, as without an admission.

const { isAbortOf } = require('../../../lib/signals/aborted.js');
const { adopt, followResponse } = require('../controller-for.js');
const { continueWhenRead } = require('./answer.js');
const { noCounts, toCounts } = require('./counts.js');

class PassThrough {
  // Fulfils with true. As in an admission, the abort of work because the client has left is not an
  // error.
  async admit(request, response, run) {
    const controller = adopt(response, { priority: 'user-visible' });
    followResponse(response);
    try {
      continueWhenRead(request, response);
      await run();
    } catch (error) {
      if (!isAbortOf(controller.signal, error)) throw error;
    }
    return true;
  }

  handle(request, response, run) {
    return this.admit(request, response, run);
  }

  read() {
    return toCounts(noCounts(), () => ({ queued: 0, maxRunning: Infinity }));
  }
}

module.exports = { PassThrough };
