'use strict';

// All cases, in the order of the table. A case is an object:
//
//   name, title, unit
//   rows             the compared rows; ratios are to the row 'uv-scheduler', or to the first
//   goals            conditions on the medians (goals.js)
//   measure(row, { isWarmUp })
//                    resolves to a sample, { value, details }; or to the reason for having none:
//                    'missing' if the row lacks what it needs, or 'too slow'
//   method, count, run(contender, { isWarmUp })
//                    instead of rows and measure(): the rows are the contenders with this method,
//                    of which each is passed. `count` tasks wait at once
//   details          the units of a sample's other values, by name
//   processes        'one' for all rows (the default), 'each row' or 'each sample'
//   usesState        our tasks have options. Before Node 24 they start an AsyncLocalStorage, which
//                    slows all promises of the process, so each row gets its own process there
//   isParallel       the rows of a round can be measured side by side: they take no processor time
//   isLong           --quick leaves the case out
//   maxRounds        the most rounds; more would not improve the result
//   close            ends what the measurements have started in the process of the case

const { measureContender } = require('../batches.js');
const { ROWS } = require('../contenders.js');
const { equalsCases } = require('./equals.js');
const { exporterCases } = require('./exporters.js');
const { idleCases } = require('./idle.js');
const { jobCases } = require('./jobs.js');
const { loadCases } = require('./load.js');
const { parsingCases } = require('./parsing.js');
const { piecesCases } = require('./pieces.js');
const { postingCases } = require('./posting.js');
const { sharedTaskCases } = require('./shared-tasks.js');
const { signalCases } = require('./signals.js');
const { slowTaskCases } = require('./slow-tasks.js');
const { watchingCases } = require('./watching.js');

// atLeast: small batches are repeated until their tasks add up to this number.
const FULL = { atLeast: 5e4, yields: 1e5, items: 2e6, signals: 1e5, queued: 1e5 };
const QUICK = { atLeast: 1e4, yields: 1e4, items: 5e5, signals: 1e4, queued: 2e4 };

const STARTS_CONTEXT = Number(process.versions.node.split('.')[0]) < 24;

// The most rounds of a case with `isLong`.
const LONG_ROUNDS = 3;

function complete({ method, count, run, ...one }) {
  const apart = one.usesState && STARTS_CONTEXT ? 'each row' : 'one';
  return {
    details: {},
    goals: [],
    processes: apart,
    isLong: false,
    isParallel: false,
    maxRounds: one.isLong ? LONG_ROUNDS : Infinity,
    ...method && { rows: ROWS[method], measure: measureContender({ method, count }, run) },
    ...one,
  };
}

function allCases({ quick }) {
  const settings = quick ? QUICK : FULL;
  return [
    ...postingCases(settings),
    ...piecesCases(settings),
    ...equalsCases(),
    ...signalCases(settings),
    ...sharedTaskCases(settings),
    ...watchingCases(settings),
    ...idleCases(),
    ...loadCases(),
    ...exporterCases(),
    ...slowTaskCases(),
    ...parsingCases(),
    ...jobCases(),
  ].map(complete).filter(({ isLong }) => !quick || !isLong);
}

module.exports = { allCases };
