'use strict';

// `npm start`: the site of examples/docs-site under load, with ways of sharing the thread. Below
// that are short runs of `bench equals` and `bench overload`, whose tables have other servers.

const { median } = require('simple-statistics');
const equals = require('../equals');
const { measureCell, summarizeCell } = require('../harness/cells');
const { findFaults } = require('../harness/open-loop');
const { number, rounds } = require('../harness/options');
const { startLoad } = require('../harness/processes');
const { atLeast, atMost, column, fixed, nameColumn, percent } = require('../harness/report');
const { sum, summarizeTimes } = require('../harness/statistics');
const overload = require('../overload');
const { PAGE_MS } = require('../overload/contenders');
const { checkHashes } = require('../ssr');
const strategies = require('../ssr/strategies');

const SERVER = require.resolve('../ssr/server');

// Collecting young garbage is the longest piece that no strategy can cut. Half the memory for it
// than Node 24 takes by itself makes the collections more frequent, and half as long.
const FLAGS = ['--expose-gc', '--max-semi-space-size=8'];

// How late visitors of the other servers may be sent until a measurement is not valid, in ms.
const LATE = { lateP99: 3 };

// How often every page is fetched first, so that the compiler has seen all code.
const WARM_UP = 2;

// The longest pause of a reader between two pages, in ms.
const READERS = { visitors: 6, reading: 40, checks: true };
const SATURATING = { visitors: 8 };
const LEAVING = { visitors: 8, leaves: 5 };

const rowOf = (strategy, name = strategies[strategy].name, more = {}) =>
  ({ strategy, name, ...more });
const ALONE = ['unchunked', 'immediate', 'prioritized'].map((strategy) => rowOf(strategy));

// The tables of the site: the visits of each, of which each is measured for a share of the time.
const TABLES = [
  {
    table: 'reading', title: 'six visitors read, with pauses; pages/s: as many as the server takes',
    visits: { reading: READERS, saturated: SATURATING }, share: 0.5,
    rows: [
      ...ALONE.map((row) => ({ ...row, isIndexing: true })),
      rowOf('prioritized', 'uv-scheduler, no index rebuild'),
    ],
  },
  {
    table: 'alone', title: 'a single visitor, no index rebuild',
    visits: { alone: { visitors: 1 } }, share: 0.2, rows: ALONE,
  },
  {
    table: 'leaving', title: 'one in five visitors leaves when the page begins to arrive',
    visits: { leaving: LEAVING }, share: 0.3,
    rows: [
      rowOf('prioritized'),
      rowOf('prioritized', 'uv-scheduler, nothing aborted', { mayAbort: false }),
    ],
  },
];

// The parts of the other benchmarks. The visitors of the run of equals ask for long pages about as
// often in the few seconds as all do in the long run.
const LOAD = 2.5;
const OTHERS = {
  equals: {
    benchmark: equals, run: 11,
    chosen: {
      mixes: ['mix'], loads: [0.6], contenders: ['plain', 'immediate', 'controllerFor'],
      seconds: 4, warm: 0.5,
    },
  },
  overload: {
    benchmark: overload, run: 0, more: { findCapacity: () => 1000 / PAGE_MS },
    chosen: {
      only: ['loads'], loads: [LOAD], contenders: ['plain', 'pressure', 'admission'],
      seconds: 2, warm: 0.5,
    },
  },
};

const options = {
  seconds: number('measure each strategy for about N seconds', 5, { min: 0.1, max: 600 }),
  rounds: rounds(4),
};

async function open({ seconds, rounds: count }, processes) {
  const load = startLoad(processes);
  const servers = new Map();
  const hashes = [];
  const execArgv = [...process.execArgv, ...FLAGS];
  const nameOf = ({ strategy, mayAbort = true }) => `${strategy} ${mayAbort}`;
  for (const { strategy, mayAbort } of TABLES.flatMap(({ rows }) => rows)) {
    const name = nameOf({ strategy, mayAbort });
    if (servers.has(name)) continue;
    const server = await processes.startServer(SERVER, { strategy, mayAbort }, { execArgv });
    servers.set(name, server);
    await load.connect([server.url], '/health');
    await server.ask('buildIndex');
    hashes.push(await load.ask('hashPages', { paths: server.paths, times: WARM_UP }));
  }
  checkHashes(hashes);
  const [{ paths, bytes }] = servers.values();
  return {
    load, processes, seconds: seconds / count,
    serverOf: (row) => servers.get(nameOf(row)),
    facts: { documents: paths.length, bytes },
    findFaults: (cells) => findFaults(cells, processes, LATE),
  };
}

const plan = () => [
  ...TABLES.map(({ rows, ...table }) =>
    ({ ...table, rows: rows.map((row) => ({ ...row, runs: [] })) })),
  ...Object.entries(OTHERS).flatMap(([other, { benchmark, chosen }]) =>
    benchmark.plan(chosen).map((cell) => ({ ...cell, other, rounds: 1 }))),
];

// Visits a server, with the index rebuild or without.
async function visit({ isIndexing = false, ...row }, settings, { load, serverOf }) {
  const { url, paths, ask } = serverOf(row);
  await load.connect([url], '/health');
  await ask('begin', { isIndex: isIndexing, width: 1 });
  const before = await ask('read');
  const visits = await load.ask('saturate', { paths, ...settings });
  const after = await ask('read');
  const { documents, elapsed } = await ask('end');
  return {
    ...visits, elapsed, cpu: after.cpu - before.cpu,
    waiting: after.waiting === null ? NaN : after.waiting - before.waiting,
    documentsPerSecond: documents / elapsed * 1000,
  };
}

async function measureOther({ other, ...cell }, turns, { processes }) {
  const { benchmark, chosen, run, more } = OTHERS[other];
  const opened = { ...await benchmark.open(chosen, processes), ...more };
  for (const { rows } of turns) await measureCell(benchmark, cell, [{ run, rows }], opened);
  await opened.end();
}

async function measure({ visits, share, ...cell }, turns, opened) {
  if (cell.other !== undefined) return measureOther(cell, turns, opened);
  for (const { rows } of turns) {
    for (const { runs, ...row } of rows) {
      const run = {};
      for (const [name, settings] of Object.entries(visits)) {
        run[name] = await visit(row, { ...settings, seconds: opened.seconds * share }, opened);
      }
      runs.push(run);
    }
  }
}

// The figures of each kind of visits. The pages of all runs are one sample.
function summarizeRow({ runs, ...row }) {
  const figures = Object.keys(runs[0]).map((name) => {
    const all = runs.map((run) => run[name]);
    const of = (key) => all.map((run) => run[key]);
    const pages = of('pages').flat();
    return [name, {
      perSecond: median(of('perSecond')),
      documentsPerSecond: row.isIndexing ? median(of('documentsPerSecond')) : null,
      page: summarizeTimes(pages), health: summarizeTimes(of('health').flat()),
      cost: sum(of('cpu')) / pages.length,
      // The part of the time in which others had the server's processor.
      waiting: sum(of('waiting')) / sum(of('elapsed')),
    }];
  });
  const waiting = Math.max(...figures.map(([, each]) => each.waiting));
  return { ...row, ...Object.fromEntries(figures), waiting };
}

const summarize = ({ other, ...cell }) => (other === undefined
  ? { ...cell, rows: cell.rows.map(summarizeRow) }
  : { ...summarizeCell(OTHERS[other].benchmark, cell), other });

// Two measurements of the same thing differ by up to a tenth; well below is two thirds.
const WITHIN = 1.1;
const WELL_BELOW = 2 / 3;

const judgeTables = {
  reading(title, [unchunked, immediate, ours, undisturbed]) {
    const bestHealth = Math.min(...[unchunked, immediate].map((row) => row.reading.health.p99));
    return [
      atMost(title, '/health p99 well below both others', ours.reading.health.p99,
        bestHealth * WELL_BELOW),
      atLeast(title, `pages/s at least those with setImmediate ÷ ${WITHIN}`,
        ours.saturated.perSecond, immediate.saturated.perSecond / WITHIN, fixed(0)),
      ...['p50', 'p99'].map((p) =>
        atMost(title, `page ${p} with the index rebuild at most ${WITHIN} × that without`,
          ours.reading.page[p], undisturbed.reading.page[p] * WITHIN)),
    ];
  },
  alone: (title, [unchunked, , ours]) => [
    atMost(title, `page p50 at most ${WITHIN} × that without chunking`, ours.alone.page.p50,
      unchunked.alone.page.p50 * WITHIN),
  ],
  leaving: (title, [aborted, finished]) => [
    atMost(title, 'pages that are read to the end cost less than if nothing is aborted',
      aborted.leaving.cost, finished.leaving.cost),
  ],
  equals: (title, [plain, immediate, ours]) => [
    atMost(title, 'p90 of short pages with controllerFor() well below both others',
      ours.kinds.short.p90,
      WELL_BELOW * Math.min(...[plain, immediate].map(({ kinds }) => kinds.short.p90))),
  ],
  overload: (title, rows) => [
    atLeast(title, 'all who check out are served with createAdmission()',
      rows.at(-1).classes.checkout.share, 0.99, percent),
  ],
};

const times = (name, key) => ['p50', 'p99'].map((p) =>
  column(`${key}\n${p} ms`.replace('health', '/health'), `${name}.${key}.${p}`));

const COLUMNS = {
  reading: [
    nameColumn(), ...times('reading', 'health'), ...times('reading', 'page'),
    column('pages/s', 'saturated.perSecond', fixed(0)),
    column('documents/s\nindexed', 'reading.documentsPerSecond', fixed(0)),
  ],
  alone: [nameColumn(), ...times('alone', 'page')],
  leaving: [
    nameColumn(), column('pages/s', 'leaving.perSecond', fixed(0)),
    column('processor ms\na complete page', 'leaving.cost', fixed(2)),
  ],
};

module.exports = {
  title: 'The site',
  about: `A server-rendered site under load: two minutes. npm start -- --serve keeps it running.`,
  options, open, plan, measure, summarize,
  judge: (cells) => cells.flatMap(({ table, other, title, rows }) =>
    judgeTables[table ?? other](title, rows)),
  columns: ({ table, other, ...cell }) => COLUMNS[table] ?? OTHERS[other].benchmark.columns(cell),
  introduce: ({ documents, bytes }) => `${documents} documents, ${Math.round(bytes / 1024)} KB of
Markdown, the same bytes from every strategy. A server rebuilds its search index again and again
where nothing else is said. The last two tables have other servers, whose visitors arrive at random;
those of the last leave after a second.
`,
};
