'use strict';

// The environment variable UV_SCHEDULER_DISABLE, a list of what the package does not do in this
// process: `admission` for the admissions of uv-scheduler/http, `all` for everything. Case does not
// matter.

const { environmentVariable } = require('../loop/platform.js');

const VARIABLE = 'UV_SCHEDULER_DISABLE';
const ADMISSION = 'admission';
const ALL = 'all';

const readNames = () => (environmentVariable(VARIABLE) ?? '').split(',').map((name) => name.trim());

const accepts = (names) => (name) => names.includes(name.toLowerCase());

// Whether the scheduler is off, so that tasks are immediates.
const isOff = () => readNames().some(accepts([ALL]));

// Whether admissions serve every request at once.
const isAdmissionOff = () => readNames().some(accepts([ADMISSION, ALL]));

// Warns of an unknown name, as a wrong value must not stop a server.
function warnOfUnknown() {
  const isKnown = accepts(['', ADMISSION, ALL]);
  const unknown = readNames().find((name) => !isKnown(name));
  if (unknown === undefined) return;
  process.emitWarning(
    `The environment variable ${VARIABLE} accepts '${ADMISSION}' and '${ALL}', but contains ` +
      `${JSON.stringify(unknown)}.`,
    { type: 'UvSchedulerWarning', code: VARIABLE },
  );
}

module.exports = { isAdmissionOff, isOff, warnOfUnknown };
