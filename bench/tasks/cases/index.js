'use strict';

// All cases, in the order of the results. As a program it is a process that measures rows of a
// case; its arguments are the case's name, and whether the run is a quick one. A case is an object:
//
//   name, title, unit
//   rows             the compared rows; ratios are to the row 'uv-scheduler', or to the first
//   goals            conditions on the medians (goals.js)
//   measure(row, { isWarmUp })
//                    resolves to a sample, { value, details }; or to null, if it would be too slow
//   method, count, run(contender, { isWarmUp })
//                    instead of rows and measure(): the rows are the contenders with this method,
//                    of which each is passed. `count` tasks wait at once
//   details          the units of a sample's other values, by name
//   isNewEachTime    each sample has a process of its own, not only each row
//   isLong           --quick leaves the case out
//   maxRounds        the most rounds; more would not improve the result

const { collect } = require('../../harness/processes');
const { answerParent } = require('../../harness/server');
const { measureContender } = require('../batches');
const { ROWS } = require('../contenders');
const { piecesCases } = require('./pieces');
const { postingCases } = require('./posting');
const { processCases } = require('./processes');
const { sharedTaskCases } = require('./shared-tasks');
const { signalCases } = require('./signals');
const { watchingCases } = require('./watching');

// atLeast: small batches are repeated until their tasks add up to this number.
const FULL = { atLeast: 5e4, yields: 1e5, items: 2e6, queued: 1e5 };
const QUICK = { atLeast: 1e4, yields: 1e4, items: 5e5, queued: 2e4 };

// The most rounds of a case with `isLong`.
const LONG_ROUNDS = 3;

const complete = ({ method, count, run, ...one }) => ({
  details: {},
  goals: [],
  isNewEachTime: false,
  isLong: false,
  maxRounds: one.isLong ? LONG_ROUNDS : Infinity,
  ...method && { rows: ROWS[method], measure: measureContender({ method, count }, run) },
  ...one,
});

function allCases({ quick }) {
  const settings = quick ? QUICK : FULL;
  return [postingCases, piecesCases, signalCases, sharedTaskCases, watchingCases, processCases]
    .flatMap((cases) => cases(settings)).map(complete).filter(({ isLong }) => !quick || !isLong);
}

// An error ends the process, and so the run.
function measureCase(wanted, quick) {
  const { measure } = allCases({ quick: quick === 'true' }).find(({ name }) => name === wanted);
  answerParent({
    measure({ row, isWarmUp }) {
      collect();
      return measure(row, { isWarmUp });
    },
  });
}

if (require.main === module) measureCase(...process.argv.slice(2));

module.exports = { allCases };
