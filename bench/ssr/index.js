'use strict';

// `npm run bench ssr`: the site of `npm start`, saturated by visitors who ask for a page as soon as
// they have the last one, with background work beside them or without. A cell is a number of pages
// at once; its rows are a strategy and a kind of background work.

const { rounds, seconds } = require('../harness/options');
const { startLoad } = require('../harness/processes');
const { atLeast, atMost, column, fixed, nameColumn, percent } = require('../harness/report');
const { compare, mediansOf, summarizeTimes } = require('../harness/statistics');
const strategies = require('./strategies');

const SERVER = require.resolve('./server');

const STRATEGIES = ['immediate', 'prioritized'];

// The number of pages that are requested at once.
const PAGES = [1, 4, 16];

// The kinds of background work. A page posts all its sections at once. As many documents are
// indexed at once, so that neither kind of work gets an advantage by having more pieces; narrow
// work, one document for each page at once, shows how far the results depend on that. Rows that are
// the same show how much two measurements differ.
const KINDS = [
  { kind: 'none', label: 'none' },
  { kind: 'index', label: 'index', isIndex: true, isWide: true },
  { kind: 'narrow', label: 'index, narrow', isIndex: true },
  { kind: 'again', label: 'none, again', only: 'prioritized' },
];

const options = { seconds: seconds(1.2), rounds: rounds(4) };

// Every strategy must deliver the same bytes, or the comparison means nothing.
function checkHashes([first, ...rest]) {
  const different = Object.keys(first).filter((url) =>
    first[url].includes(',') || rest.some((hashes) => hashes[url] !== first[url]));
  if (different.length > 0) {
    throw new Error(`${different.length} pages differ between the strategies`);
  }
}

// Starts a server of each strategy, and lets it build its index and render every page.
async function open(chosen, processes) {
  const load = startLoad(processes);
  const execArgv = [...process.execArgv, '--expose-gc'];
  const servers = {};
  const hashes = [];
  for (const strategy of STRATEGIES) {
    const server = await processes.startServer(SERVER, { strategy }, { execArgv });
    const { url, paths } = server;
    await server.ask('buildIndex');
    await load.connect([url], '/health');
    hashes.push(await load.ask('hashPages', { paths, times: 1 }));
    servers[strategy] = server;
  }
  checkHashes(hashes);
  const { paths, bytes, sectionsPerPage } = servers[STRATEGIES[0]];
  const facts = { documents: paths.length, bytes };
  return { load, servers, seconds: chosen.seconds, sectionsPerPage, facts };
}

const plan = (chosen, { sectionsPerPage }) => PAGES.map((pages) => ({
  pages, title: `${pages} ${pages === 1 ? 'page' : 'pages'} at once`,
  rows: STRATEGIES.flatMap((strategy) => KINDS.filter(({ only = strategy }) => only === strategy)
    .map(({ kind, label, isIndex = false, isWide }) => ({
      strategy, kind, isIndex,
      name: `${strategies[strategy].name}, ${label}`,
      width: isWide ? Math.round(pages * sectionsPerPage) : pages,
      runs: [],
    }))),
}));

async function measureRow(pages, { strategy, isIndex, width }, length, { load, servers }) {
  const { url, paths, ask } = servers[strategy];
  await load.connect([url], '/health');
  await ask('begin', { isIndex, width });
  const visits = await load.ask('saturate',
    { paths, visitors: pages, seconds: length, checks: true });
  return { visits, server: await ask('end') };
}

async function measure({ pages, rows: all }, turns, opened) {
  for (const row of all) await measureRow(pages, row, 0, opened);
  for (const { rows } of turns) {
    for (const row of rows) row.runs.push(await measureRow(pages, row, opened.seconds, opened));
  }
}

// Returns the measurements of one run as a flat object of numbers.
const summarizeRun = ({ visits: { health, pages, perSecond }, server }) => ({
  healthP99: summarizeTimes(health).p99,
  pageP99: summarizeTimes(pages).p99,
  pagesPerSecond: perSecond,
  backgroundShare: server.backgroundMs / server.elapsed,
});

function summarize({ rows, ...cell }) {
  return {
    ...cell,
    rows: rows.map(({ runs, ...row }) => {
      const summaries = runs.map(summarizeRun);
      return { ...row, rounds: summaries, ...mediansOf(summaries) };
    }),
  };
}

// A goal of a ratio of two rows.
const judgeRatio = (compareFigures, { title }, text, [own, other], key, limit) =>
  compareFigures(title, text, compare(own, other, key), limit);

function judgeCell(cell) {
  const find = (strategy, wanted) =>
    cell.rows.find((row) => row.strategy === strategy && row.kind === wanted);
  const ours = (kind) => find('prioritized', kind);
  return [
    judgeRatio(atMost, cell, 'page p99 with background work at most 1.05 × that without',
      [ours('index'), ours('none')], 'pageP99', 1.05),
    judgeRatio(atMost, cell, 'the same without background work, measured twice',
      [ours('again'), ours('none')], 'pageP99', 1.05),
    ...['index', 'narrow'].flatMap((kind) => {
      const rows = [ours(kind), find('immediate', kind)];
      const scope = `of setImmediate under the same background work, ${kind}`;
      const faster = `at least 1.9 × the pages/s ${scope}`;
      return [
        judgeRatio(atLeast, cell, faster, rows, 'pagesPerSecond', 1.9),
        judgeRatio(atMost, cell, `/health p99 at most that ${scope}`, rows, 'healthP99', 1),
      ];
    }),
  ];
}

const COLUMNS = [
  nameColumn('strategy,\nbackground work'),
  column('/health\np99 ms', 'healthP99'),
  column('page\np99 ms', 'pageP99'),
  column('pages/s', 'pagesPerSecond', fixed(0)),
  column('background\nwork', 'backgroundShare', percent),
];

module.exports = {
  checkHashes,
  title: 'Pages under load',
  about: 'The site of `npm start`, saturated.',
  options, open, plan, measure, summarize,
  judge: (cells) => cells.flatMap(judgeCell),
  columns: () => COLUMNS,
  introduce: ({ documents, bytes }) => `${documents} documents, ${Math.round(bytes / 1024)} KB of
Markdown; medians. The load comes from another process: so many visitors ask for a page as soon as
they have the last one, up to the end of the list of pages; a health check goes out every 5 ms.
Background work never ends; its column is its share of the thread's time.
`,
};
