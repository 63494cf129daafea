'use strict';

// Replaces an admission if the environment variable UV_SCHEDULER_DISABLE turns admissions off: each
// request is served immediately, as without an admission.

const { environmentVariable } = require('../../../lib/loop/platform.js');
const { isAbortOf } = require('../../../lib/signals/aborted.js');
const { adopt, followResponse } = require('../controller-for.js');
const { continueWhenRead } = require('./answer.js');
const { noCounts, toCounts } = require('./counts.js');

const VARIABLE = 'UV_SCHEDULER_DISABLE';
const ADMISSION = 'admission';

// Whether admissions are off. A wrong value must not stop a server.
function isAdmissionDisabled() {
  const names = (environmentVariable(VARIABLE) ?? '').split(',').map((name) => name.trim());
  const unknown = names.find((name) => name !== '' && name !== ADMISSION);
  if (unknown !== undefined) {
    process.emitWarning(
      `The environment variable ${VARIABLE} accepts '${ADMISSION}', but contains ` +
        `${JSON.stringify(unknown)}.`,
      { type: 'UvSchedulerWarning', code: VARIABLE },
    );
  }
  return names.includes(ADMISSION);
}

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

module.exports = { PassThrough, isAdmissionDisabled };
