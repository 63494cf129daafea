'use strict';

// The page `/blocked` of the health server. See toJSON() of report.js.

const { escaped, pageOf, tableOf } = require('../page.js');

const inMs = (milliseconds) => `${Math.round(milliseconds)} ms`;
const toKind = ({ help, kind }) => `<a href="${escaped(help)}">${escaped(kind)}</a>`;
const routesIn = (routes) => escaped(routes.map(({ route }) => route).join(', '));

const LAST = [
  ['place', ({ place }) => escaped(place)],
  ['at', ({ at }) => escaped(at)],
  ['blocked for', ({ duration }) => inMs(duration)],
  ['route', ({ routes }) => escaped(routes.join(', '))],
  ['kind', toKind, true],
];

const WORST = [
  ['place', ({ functionName, file, line }) =>
    escaped(`${functionName} (${file}${line === null ? '' : `:${line}`})`)],
  ['blocked for', ({ time }) => inMs(time)],
  ['callbacks', ({ callbacks }) => callbacks],
  ['longest', ({ longest }) => inMs(longest)],
  ['routes', ({ routes }) => routesIn(routes)],
  ['waited', ({ waitedRoutes }) => routesIn(waitedRoutes), true],
  ['kind', toKind, true],
];

function toPage(report) {
  const { blocked: [{ beyond, share }], last, places } = report;
  return pageOf('Blocked', `<p class="advice">Callbacks of over ${beyond} ms have taken ` +
    `${(100 * share).toFixed(1)} % of the time.</p>
<h2>The last</h2>
${tableOf(LAST, last)}
<h2>The worst places</h2>
${tableOf(WORST, places)}`, report);
}

module.exports = { toPage };
