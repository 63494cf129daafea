'use strict';

// Turns the raw results of the rows into percentiles and shares, and judges the claims.

const { quantile } = require('simple-statistics');

const { compared, ms, number, percent } = require('./format');
const { LOAD } = require('./overload');

// Two measurements of the same thing differ by up to a tenth.
const WITHIN = 1.1;
// The meaning of "well below" and "a small part".
const WELL_BELOW = 2 / 3;
const SMALL_PART = 0.1;
// And "all", of visitors.
const NEARLY_ALL = 0.99;

function percentiles(times) {
  const [p50, p99] = quantile(times, [0.5, 0.99]);
  return { p50, p99, count: times.length };
}

function claim(text, kept, detail) {
  return { text, kept, detail };
}

function summarizeRow(raw) {
  return {
    name: raw.name,
    health: percentiles(raw.health),
    firstByte: percentiles(raw.first),
    page: percentiles(raw.complete),
    pagesPerSecond: raw.saturatedPages / raw.saturatedMs * 1000,
    documentsIndexed: raw.indexing ? raw.indexed : null,
    documentsPerSecond: raw.indexing ? raw.indexed / raw.readingMs * 1000 : null,
  };
}

const summarizeAlone = ({ name, alone: { first, complete } }) =>
  ({ name, firstByte: percentiles(first), page: percentiles(complete) });

/** The rendering for visitors who left before their page was complete. */
function summarizeLeaving({ name, leaving }) {
  const { complete, untilLeft, afterLeft, pagesLeft, pages, elapsed } = leaving;
  const unread = untilLeft + afterLeft;
  return {
    name,
    pagesLeft,
    msUntilLeft: untilLeft / pagesLeft,
    msAfterLeft: afterLeft / pagesLeft,
    share: unread / (complete + unread),
    pagesPerSecond: pages / elapsed * 1000,
  };
}

function claimsOfRows([unchunked, immediate, ours, undisturbed]) {
  const best = Math.min(unchunked.health.p99, immediate.health.p99);
  return [
    claim('/health p99 well below both others', ours.health.p99 <= best * WELL_BELOW,
      `${ms(ours.health.p99)} against ${ms(unchunked.health.p99)} (${unchunked.name}) `
        + `and ${ms(immediate.health.p99)} (${immediate.name})`),
    claim('at least as many pages per second as with setImmediate',
      ours.pagesPerSecond >= immediate.pagesPerSecond,
      compared(ours.pagesPerSecond, immediate.pagesPerSecond, 'pages/s')),
    ...['p50', 'p99'].map((p) => claim(
      `page ${p} with the index rebuild at most 10 % above that without`,
      ours.page[p] <= undisturbed.page[p] * WITHIN,
      compared(ours.page[p], undisturbed.page[p], 'ms'))),
  ];
}

function claimOfAlone([unchunked, , ours]) {
  return claim('a single visitor waits for a page no longer than without chunking',
    ours.page.p50 <= unchunked.page.p50 * WITHIN,
    `p50 ${compared(ours.page.p50, unchunked.page.p50, 'ms')}`);
}

function claimOfLeaving([aborted, finished]) {
  return claim('little is rendered for visitors who have left: at most a tenth of what it is '
    + 'without aborting',
    aborted.msAfterLeft <= finished.msAfterLeft * SMALL_PART,
    `${number(aborted.msAfterLeft)} against ${number(finished.msAfterLeft)} ms a page; pages that `
      + `nobody read took ${percent(aborted.share)} against ${percent(finished.share)} of all `
      + 'rendering');
}

/** Short pages overtake long ones that have begun. */
function claimOfEquals([plain, immediate, ours]) {
  const best = Math.min(plain.short.p90, immediate.short.p90);
  return claim('beside long pages, p90 of short ones with controllerFor() well below both others',
    ours.short.p90 <= best * WELL_BELOW,
    `${ms(ours.short.p90)} against ${ms(plain.short.p90)} (${plain.name}) `
      + `and ${ms(immediate.short.p90)} (${immediate.name})`);
}

/** Visitors who check out are served, however many others there are. */
function claimOfOverload(rows) {
  const { classes: { checkout: own } } = rows.at(-1);
  const others = rows.slice(0, -1).map(({ name, classes: { checkout } }) =>
    `${percent(checkout.share)} (${name})`);
  return claim(`with createAdmission() all who check out are served at ${LOAD} times the capacity`,
    own.share >= NEARLY_ALL, `${percent(own.share)} against ${others.join(' and ')}`);
}

/**
 * @param {object[]} raw the rows, in the order: unchunked, setImmediate, uv-scheduler, the same
 *   without the index rebuild, the same without aborting
 */
function summarize(raw, { pages, bytes, different, equals, overload }) {
  const has = (phase) => raw.filter(({ phases }) => phases.includes(phase));
  const rows = has('reading').map(summarizeRow);
  const alone = has('alone').map(summarizeAlone);
  const leaving = has('leaving').map(summarizeLeaving);
  const claims = [
    claim('the same bytes from every strategy', different.length === 0,
      `${pages - different.length} of ${pages} pages`),
    ...claimsOfRows(rows),
    claimOfAlone(alone),
    claimOfLeaving(leaving),
    claimOfEquals(equals),
    claimOfOverload(overload),
  ];
  return { pages, bytes, different, rows, alone, leaving, equals, overload, claims };
}

module.exports = { claimOfEquals, percentiles, summarize };
