'use strict';

// `npm run bench overload`: more visitors than a server can serve. A cell is a crowd of visitors;
// its rows are the contenders, who all get the same crowd, one after the other, and the ideal
// queue.

const { createOpenLoop, createRows } = require('../harness/open-loop');
const { choices, flag, numbers, rounds, seconds, warm } = require('../harness/options');
const { atLeast, atMost, column, fixed, ms, nameColumn, percent } = require('../harness/report');
const { NAMES, PAGE_MS, PRESSURE, REFUSE_AFTER } = require('./contenders');
const { summarize } = require('./figures');
const { CLASSES, createVisitors } = require('./visitors');

// Up to this load a server ought to serve everybody. It is measured for longer there, as what is
// rare has to be seen.
const CALM = 0.8;
const LONGER = 3;

// The load of the parts beside 'loads', as a multiple of the capacity. Visitors of a burst try
// again twice, after up to 250 and 500 ms.
const OVERLOAD = 2.5;
const BURST = { load: 3, usual: 0.5, before: 3, seconds: 10, after: 6, retries: 2, backoff: 250 };

// The patience of a visitor, in ms.
const PATIENCE = 1000;

const times = (load) => `${load} times the capacity`;

const PARTS = {
  loads: { transport: 'keep-alive', titleOf: times },
  connections: {
    transport: 'new', titleOf: (load) => `${times(load)}, a new connection for each visitor`,
  },
  http2: { transport: 'http2', titleOf: (load) => `${times(load)}, HTTP/2` },
  burst: {
    transport: 'keep-alive',
    titleOf: (load) => `a burst of ${BURST.seconds} s with ${times(load)}, between ${BURST.usual} `
      + 'times; visitors try again',
  },
};

const PAGE = `/${CLASSES[0].name}`;

// The measurement of the capacity: so many visitors who ask again at once, so that the server never
// waits for one, for so many seconds.
const SATURATING = { paths: [PAGE], visitors: 4, seconds: 1.5 };

const options = {
  seconds: seconds(8, 4),
  warm: warm(2),
  rounds: rounds(1),
  loads: numbers('visitors, as a multiple of what the server can serve', [0.5, 0.8, 1, 1.5, 2.5, 4],
    { min: 0.1, max: 20, quick: [0.8, 2.5] }),
  contenders: choices('compare these of', Object.keys(NAMES)),
  only: choices('only these parts of', Object.keys(PARTS), { quick: ['loads', 'burst'] }),
  quick: flag('the loads 0.8 and 2.5, 4 seconds each, and the burst: five minutes'),
};

// The settings of the cells of a part: the load that is measured for some seconds, the `usual` load
// before and after that, and how visitors try again.
function settingsOf(part, { loads, seconds: asked, warm: before }) {
  if (part === 'burst') return [BURST];
  return (part === 'loads' ? loads : [OVERLOAD]).map((load) =>
    ({ load, usual: load, before, seconds: load > CALM ? asked : LONGER * asked, after: 0 }));
}

const plan = (chosen) => chosen.only.flatMap((part) => settingsOf(part, chosen).map(
  ({ load, usual, before, seconds: measured, after, ...habits }) => ({
    part, load, title: PARTS[part].titleOf(load), transport: PARTS[part].transport,
    phases: [
      { load: usual, seconds: before }, { load, seconds: measured },
      { load: usual, seconds: after },
    ],
    habits: { patience: PATIENCE, ...habits },
    from: before * 1000,
    until: (before + measured) * 1000,
    rows: createRows(chosen.contenders, NAMES),
  })));

function open(chosen, processes) {
  const openLoop = createOpenLoop(processes, require.resolve('./contenders'));
  // Resolves to the pages per second that a plain server serves.
  const findCapacity = async (transport) => {
    const server = { contender: 'plain', transport };
    const way = { page: PAGE, transport };
    return (await openLoop.measure(server, way, 'saturate', SATURATING)).perSecond;
  };
  return { ...openLoop, findCapacity };
}

async function prepare({ load, phases, transport }, run, { findCapacity }) {
  const capacity = await findCapacity(transport);
  const seed = `${run} ${load}`;
  const visitors = createVisitors(phases.map(({ load: share, seconds: length }) =>
    ({ perSecond: share * capacity, seconds: length })), seed);
  return { capacity, seed, visitors };
}

async function measureRow({ contender }, { transport, habits }, shared, openLoop) {
  const { capacity: before, seed, visitors } = shared;
  const result = await openLoop.measureRow({ contender, transport }, visitors,
    { seed, page: PAGE, transport, habits });
  // The speed of a processor changes with time on many machines: each row has its own capacity, but
  // all have the same visitors.
  shared.capacity = await openLoop.findCapacity(transport);
  return { ...result, capacity: (before + shared.capacity) / 2 };
}

const find = ({ rows }, wanted) => rows.find(({ contender }) => contender === wanted);

const figure = (value) => value ?? Infinity;

// Of createAdmission(), while there are too many visitors.
function judgeOverload({ title, ideal }, { classes: { checkout, page, all }, ofCapacity }) {
  const best = ideal.classes.checkout;
  return [
    atLeast(title, 'checkout is served as by the ideal queue, within a point', checkout.share,
      best.share - 0.01, percent),
    atMost(title, 'p99 of checkout at most 1.25 × that of the ideal queue', figure(checkout.p99),
      1.25 * best.p99, ms),
    atLeast(title, 'goodput at least 0.95 of the capacity', ofCapacity, 0.95),
    atMost(title, 'p50 of pages', figure(page.p50), 300, ms),
    atMost(title, 'p99 of refusals on arrival', figure(all.refusalP99), 50, ms),
  ];
}

// The same while there is enough for all. The loads are one sample, as refusals are rare.
function judgeCalm(cells) {
  const all = cells.map((cell) => find(cell, 'admission').classes.all);
  const count = (key) => all.reduce((total, each) => total + each[key], 0);
  return [
    atMost(`${CALM} times the capacity and below`, 'at most a visitor of a thousand is refused',
      count('refused'), Math.max(1, count('sent') / 1000)),
    ...cells.map((cell, i) => {
      const plain = find(cell, 'plain')?.classes.all.mean ?? null;
      return atMost(cell.title, 'the mean latency is at most 1.1 × that of plain Node',
        all[i].mean, plain === null ? null : 1.1 * plain, ms);
    }),
  ];
}

function judge(cells) {
  const judged = cells.filter((cell) => find(cell, 'admission') !== undefined);
  const calm = judged.filter(({ part, load }) => part !== 'burst' && load <= CALM);
  return [
    ...calm.length === 0 ? [] : judgeCalm(calm),
    ...judged.flatMap((cell) => {
      const row = find(cell, 'admission');
      if (cell.part !== 'burst') return cell.load >= 1.5 ? judgeOverload(cell, row) : [];
      return [atMost(cell.title, 'visitors who arrive later after the burst are served',
        row.unserved, 1000, ms)];
    }),
  ];
}

const whole = fixed(0);

const COLUMNS = [
  nameColumn(),
  column('checkout', 'classes.checkout.share', percent),
  column('p99', 'classes.checkout.p99', whole),
  column('pages', 'classes.page.share', percent),
  column('p50', 'classes.page.p50', whole),
  column('p99', 'classes.page.p99', whole),
  column('crawlers', 'classes.crawler.share', percent),
  column('refusals p99', 'classes.all.refusalP99', whole),
  column('goodput', 'ofCapacity', fixed(2)),
];

const BURST_COLUMNS = [...COLUMNS, column('served after', 'unserved', whole)];

const introduce = () => `A page blocks the thread for ${PAGE_MS} ms. Visitors arrive at random,
whether or not the server has time, and leave after ${PATIENCE} ms: one in five wants to check out,
one in five is a crawler, the others want pages. Server and visitors have a processor each. All
servers get the same visitors, and render the same page in one go, except the server with pages in
pieces, which ends a page when its visitor leaves. Times are in ms, from when the visitor should
have arrived.

- *checkout*, *pages* and *crawlers*: the share of these visitors that was served.
- *refusals*: those that were made on arrival.
- *goodput*: the pages for visitors who were still there, as a share of the capacity, which is
  measured before and after each row.
- *served after*: the time from the end of the burst to the arrival of the last visitor that was not
  served.
- *the ideal queue*: a simulation with the same visitors. Whenever the thread is free it takes the
  most important visitor. It refuses nobody, spends no time but on pages, and does not stop a page
  that has begun.

These bounds were tuned for this load: \`refuseAfter\`, ${Object.values(REFUSE_AFTER).join(', ')} ms
from \`'user-blocking'\` down; and \`maxEventLoopDelay\` of \`@fastify/under-pressure\`,
${PRESSURE.maxEventLoopDelay} ms, with which it served most. \`toobusy-js\` and \`maxQueued\` have
their defaults.
`;

module.exports = {
  title: 'Overload',
  about: `Visitors arrive at a server that cannot serve them all: 20 minutes by default, loads up to
0.8 three times as long as others. The goals need the contenders plain and admission.`,
  options, open, plan, prepare, measureRow, summarize, judge, introduce,
  columns: ({ part }) => (part === 'burst' ? BURST_COLUMNS : COLUMNS),
  COLUMNS,
};
