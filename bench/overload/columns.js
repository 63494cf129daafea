'use strict';

// The columns of the tables, on the screen and in Markdown.

const NONE = '–';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);
const or = (format) => (value) => (isNumber(value) ? format(value) : NONE);
const percent = or((share) => `${(share * 100).toFixed(0)} %`);
const whole = or((value) => value.toFixed(0));

const COLUMNS = [
  { head: 'checkout', value: ({ classes }) => percent(classes.checkout.share) },
  { head: 'p99', value: ({ classes }) => whole(classes.checkout.p99) },
  { head: 'pages', value: ({ classes }) => percent(classes.page.share) },
  { head: 'p50', value: ({ classes }) => whole(classes.page.p50) },
  { head: 'p99', value: ({ classes }) => whole(classes.page.p99) },
  { head: 'crawlers', value: ({ classes }) => percent(classes.crawler.share) },
  { head: 'refusals p99', value: ({ classes }) => whole(classes.all.refusalP99) },
  { head: 'goodput', value: ({ ofCapacity }) => ofCapacity.toFixed(2) },
];

// How long after a burst the last visitor came who was not served, and who had to try again.
const BURST_COLUMNS = [
  ...COLUMNS,
  { head: 'served after', value: ({ unserved }) => whole(unserved) },
  { head: 'at once after', value: ({ unservedAtOnce }) => whole(unservedAtOnce) },
];

const IDEAL = 'the ideal queue';

const columnsOf = ({ part }) => (part === 'burst' ? BURST_COLUMNS : COLUMNS);

/** The rows of a cell, with the ideal as the last one. */
const rowsOf = ({ rows, ideal }) => (ideal === null ? rows : [...rows, { name: IDEAL, ...ideal }]);

module.exports = { columnsOf, rowsOf };
