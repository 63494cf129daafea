'use strict';

// A process that measures rows of a case. Its arguments are the name of the case, and whether the
// run is a quick one.

const { collect } = require('../harness/processes');
const { answerParent } = require('../harness/server');
const { allCases } = require('./cases');

const [, , wanted, quick] = process.argv;
const { measure } = allCases({ quick: quick === 'true' }).find(({ name }) => name === wanted);

// An error ends the process, and so the run.
answerParent({
  measure({ row, isWarmUp }) {
    collect();
    return measure(row, { isWarmUp });
  },
});
