'use strict';

// Defines the goals of createAdmission() and checks whether the results meet them. `met` is null
// where what they compare with was not measured.

const { CALM } = require('./cells');

const OVERLOAD = 1.5;
const SHARE_BELOW = 0.01;
const P99_AT_MOST = 1.25;
const GOODPUT_AT_LEAST = 0.95;
const PAGE_P50_AT_MOST = 300;
const REFUSAL_P99_AT_MOST = 50;
const RECOVERED_WITHIN = 1000;
const REFUSED_OF_THOUSAND = 1;
const CALM_MEAN_AT_MOST = 1.1;

const percent = (share) => `${(share * 100).toFixed(1)} %`;
const ms = (value) => (value === null ? 'none' : `${value.toFixed(0)} ms`);
const find = ({ rows }, wanted) => rows.find(({ contender }) => contender === wanted);

/** Beside the ideal queue, while there are too many visitors. */
function judgeOverload({ title: scope, ideal }, row) {
  const { checkout, page, all } = row.classes;
  const best = ideal.classes.checkout;
  const goal = (text, met, detail) => ({ scope, text, met, details: [detail] });
  return [
    goal(`checkout is served as by the ideal queue, within ${SHARE_BELOW * 100} point`,
      checkout.share >= best.share - SHARE_BELOW,
      `${percent(checkout.share)} against ${percent(best.share)}`),
    goal(`p99 of checkout at most ${P99_AT_MOST}× that of the ideal queue`,
      checkout.p99 !== null && checkout.p99 <= best.p99 * P99_AT_MOST,
      `${ms(checkout.p99)} against ${ms(best.p99)}`),
    goal(`goodput at least ${GOODPUT_AT_LEAST} of the capacity`,
      row.ofCapacity >= GOODPUT_AT_LEAST, row.ofCapacity.toFixed(3)),
    goal(`p50 of pages at most ${PAGE_P50_AT_MOST} ms`,
      page.p50 !== null && page.p50 <= PAGE_P50_AT_MOST, ms(page.p50)),
    goal(`refusals on arrival leave within ${REFUSAL_P99_AT_MOST} ms at p99`,
      all.refusalP99 !== null && all.refusalP99 <= REFUSAL_P99_AT_MOST,
      `${ms(all.refusalP99)}; ${all.refusedLater} of ${all.refused} refusals were made later`),
  ];
}

const judgeBurst = ({ title: scope }, { unserved, unservedAtOnce }) => [{
  scope,
  text: `who arrives later than ${RECOVERED_WITHIN} ms after the burst is served`,
  met: unserved <= RECOVERED_WITHIN,
  details: [`the last one who was not arrived ${ms(unserved)} after it`,
    `the last one who had to try again ${ms(unservedAtOnce)}`],
}];

/** While there is enough for all. The loads are one sample, as refusals are rare. */
function judgeCalm(cells) {
  const all = cells.map((cell) => find(cell, 'admission').classes.all);
  const count = (key) => all.reduce((total, each) => total + each[key], 0);
  const [sent, refused] = [count('sent'), count('refused')];
  const latencies = cells.map((cell) => {
    const [own, plain] = ['admission', 'plain'].map((name) => find(cell, name)?.classes.all.mean);
    const met = plain === undefined ? null : own <= plain * CALM_MEAN_AT_MOST;
    return {
      scope: cell.title,
      text: `the mean latency is at most ${CALM_MEAN_AT_MOST}× that of plain Node`,
      met, details: met === null ? [] : [`${ms(own)} against ${ms(plain)}`],
    };
  });
  const waits = cells.map(({ ideal }) => percent(ideal.waitedTenPages)).join(' and ');
  return [{
    scope: `${CALM} times the capacity and below`,
    text: `at most ${REFUSED_OF_THOUSAND} visitor of a thousand is refused`,
    met: refused <= Math.max(1, sent / 1000 * REFUSED_OF_THOUSAND),
    details: [`${refused} of ${sent}; in the ideal queue ${waits} wait longer than ten pages take`],
  }, ...latencies];
}

/** Returns a list of { scope, text, met, details }. */
function judge(cells) {
  const judged = cells.filter((cell) => find(cell, 'admission') !== undefined);
  const calm = judged.filter(({ part, load }) => part !== 'burst' && load <= CALM);
  return [
    ...(calm.length === 0 ? [] : judgeCalm(calm)),
    ...judged.flatMap((cell) => {
      const row = find(cell, 'admission');
      if (cell.part === 'burst') return judgeBurst(cell, row);
      return cell.load >= OVERLOAD ? judgeOverload(cell, row) : [];
    }),
  ];
}

module.exports = { judge };
