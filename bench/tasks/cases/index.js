'use strict';

// All cases, in the order of the results. As a program it is a process that measures rows of the
// case that its argument names. A case is an object:
//
//   name, title, unit
//   rows             the compared rows; ratios are to the row 'uv-scheduler', or to the first
//   goals            conditions on the medians (goals.js)
//   measure(row, { isWarmUp })
//                    resolves to a sample, { value, details }
//   method, count, run(contender, { isWarmUp })
//                    instead of rows and measure(): the rows are the contenders with this method,
//                    of which each is passed. `count` tasks wait at once, which takes some too long
//   details          the units of a sample's other values, by name
//   isNewEachTime    each sample has a process of its own, not only each row

const { collect } = require('../../harness/processes');
const { answerParent } = require('../../harness/server');
const { load, rowsOf } = require('../contenders');
const { piecesCases } = require('./pieces');
const { postingCases } = require('./posting');
const { processCases } = require('./processes');
const { sharedTaskCases } = require('./shared-tasks');
const { signalCases } = require('./signals');
const { watchingCases } = require('./watching');

const complete = ({ method, count = 1, run, ...one }) => ({
  details: {},
  goals: [],
  isNewEachTime: false,
  ...method && {
    rows: rowsOf(method, count),
    measure: async (row, settings) => run(await load(row), settings),
  },
  ...one,
});

const allCases = [
  ...postingCases, ...piecesCases, ...signalCases, ...sharedTaskCases, ...watchingCases,
  ...processCases(),
].map(complete);

// An error ends the process, and so the run.
function measureCase(wanted) {
  const { measure } = allCases.find(({ name }) => name === wanted);
  answerParent({
    measure({ row, isWarmUp }) {
      collect();
      return measure(row, { isWarmUp });
    },
  });
}

if (require.main === module) measureCase(process.argv[2]);

module.exports = { allCases };
