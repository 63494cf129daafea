'use strict';

// A short run, which `npm test` asks for by TEST_SHORT, leaves most random cases to `.ci/run`, and
// tests that take seconds of processor time. A file that is named runs whole.

const isShort = process.env.TEST_SHORT !== undefined;

// Like it(), for a test that only a whole run has.
const itWhole = (title, work) => (isShort ? { timeout() {} } : it(title, work));

module.exports = { isShort, itWhole };
