'use strict';

// mocha's spec reporter, which also writes the counts and the failures to the file that
// MOCHA_COUNTS_FILE names. A missing file means that mocha did not finish.

const fs = require('node:fs');
const Mocha = require('mocha');

module.exports = class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const file = process.env.MOCHA_COUNTS_FILE;
    if (!file) return;
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes: passed, failures: failed, pending: skipped } = this.stats;
      // The title of each, and below it the first line of why it failed.
      const failures = this.failures
        .map((test) => `${test.fullTitle()}\n  ${String(test.err?.message).split('\n', 1)[0]}`);
      fs.writeFileSync(file, JSON.stringify({ passed, failed, skipped, failures }));
    });
  }
};
