'use strict';

// Defines the goals of pages of one priority, and checks whether the results meet them.

const { fixed } = require('../report');

const { KNOWN } = require('./mixes');

// Pages in pieces, which are compared with the same by setImmediate().
const CUT = ['shouldYield', 'pieces'];
const PEER = 'immediate';
const OF_PEER = { p50: 1, p90: 1, p99: 1 };
// Requests that the scheduler knows, which are compared with the ideal thread: so many times its
// figures.
const OF_IDEAL = { p50: 1.5, p90: 1.5, p99: 2 };
const OF_IDEAL_LONG = { p99: 1.3 };
// Pages of one size are best finished one after the other, as plain Node does.
const PLAIN = 'plain';
const OF_PLAIN = { mean: 1.1 };
// The times of keys are as their weights are, within so much.
const WEIGHTS = 3;
const OF_WEIGHTS = 0.05;
const OF_ALONE = { p99: 1.5 };
const OF_SHORT = { p99: 2 };
// In ms, with the work of the task.
const BACKGROUND_P99 = 10;

const ms = (value) => `${fixed(1)(value)} ms`;
const pagesOf = (name) => `${name} pages`;

const find = ({ rows }, wanted) =>
  rows.find(({ contender, isAlone }) => contender === wanted && !isAlone);
const findAll = ({ rows }, wanted) =>
  rows.filter(({ contender, isAlone }) => wanted.includes(contender) && !isAlone);

/**
 * Goals of a row: figures of its pages of a kind, at most so many times the `figures` of others
 * that have a name.
 */
function compare({ title: scope }, row, kind, { name, figures }, most) {
  return Object.entries(most).map(([figure, times]) => {
    const [value, least] = [row.kinds[kind], figures].map((each) => each[figure]);
    const factor = times === 1 ? '' : `${times} times `;
    return {
      scope,
      text: `${row.name}: ${figure} of ${pagesOf(kind)} at most ${factor}that of ${name}`,
      // A short run has no long page.
      met: value === null || least === null ? null : value <= times * least,
      details: [`${ms(value)} against ${ms(least)}`],
    };
  });
}

/** The same pages in another row. */
const sameOf = ({ name, kinds }, kind) => ({ name, figures: kinds[kind] });

function judgeMix(cell) {
  const { kinds: [short, long], ideal } = cell;
  const peer = find(cell, PEER);
  const beside = peer === undefined ? [] : findAll(cell, CUT).flatMap((row) =>
    compare(cell, row, short, sameOf(peer, short), OF_PEER));
  const known = findAll(cell, KNOWN).flatMap((row) => [
    ...compare(cell, row, short, sameOf(ideal, short), OF_IDEAL),
    ...compare(cell, row, long, sameOf(ideal, long), OF_IDEAL_LONG),
  ]);
  return [...beside, ...known];
}

function judgeEqual(cell) {
  const { kinds: [kind] } = cell;
  const plain = find(cell, PLAIN);
  if (plain === undefined) return [];
  return findAll(cell, KNOWN).flatMap((row) =>
    compare(cell, row, kind, sameOf(plain, kind), OF_PLAIN));
}

function judgeWeights(cell) {
  return findAll(cell, KNOWN).map((row) => {
    const [heavy, light] = cell.kinds.map((kind) => row.kinds[kind].time);
    return {
      scope: cell.title,
      text: `${row.name}: thread time ${WEIGHTS} : 1, within ${OF_WEIGHTS * 100} %`,
      met: light === 0 ? null : Math.abs(heavy / light / WEIGHTS - 1) <= OF_WEIGHTS,
      details: [`${ms(heavy)} and ${ms(light)}, ${fixed(2)(heavy / light)} : 1`],
    };
  });
}

function judgeTenants(cell) {
  const { title: scope, kinds: [small], rows } = cell;
  return findAll(cell, KNOWN).flatMap((row) => {
    const alone = rows.find(({ contender, isAlone }) => contender === row.contender && isAlone);
    const { asked, count } = row.kinds[small];
    return [
      ...compare(cell, row, small, sameOf(alone, small), OF_ALONE),
      {
        scope, text: `${row.name}: all ${pagesOf(small)} served`, met: count === asked,
        details: [`${count} of ${asked}`],
      },
    ];
  });
}

function judgeStream(cell) {
  const { kinds } = cell;
  const [short] = kinds;
  return findAll(cell, KNOWN).flatMap((row) => compare(cell, row, kinds.at(-1),
    { name: pagesOf(short), figures: row.kinds[short] }, OF_SHORT));
}

function judgeBackground(cell) {
  return findAll(cell, KNOWN).flatMap((row) => cell.kinds.map((kind) => {
    const { p99 } = row.kinds[kind];
    return {
      scope: cell.title,
      text: `${row.name}: p99 of ${pagesOf(kind)} at most ${BACKGROUND_P99} ms`,
      met: p99 === null ? null : p99 <= BACKGROUND_P99,
      details: [ms(p99)],
    };
  }));
}

const JUDGES = {
  mix: judgeMix,
  equal: judgeEqual,
  weights: judgeWeights,
  tenants: judgeTenants,
  stream: judgeStream,
  background: judgeBackground,
};

/** Returns a list of { scope, text, met, details }. */
const judge = (cells) => cells.flatMap((cell) => JUDGES[cell.mix](cell));

module.exports = { judge };
