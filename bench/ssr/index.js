'use strict';

// `npm run bench ssr`: the site of `npm start`, saturated by visitors who ask for a page as soon as
// they have the last one, with background work beside them or without. A cell is a number of pages
// at once; its rows are a strategy and a kind of background work.

const strategies = require('../../examples/docs-site/strategies');
const { numbers, number, rounds } = require('../harness/options');
const { atLeast, atMost, column, fixed, or, percent } = require('../harness/report');
const { compare, mediansOf, summarizeTimes } = require('../harness/statistics');

const LOAD = require.resolve('../harness/load');
const SERVER = require.resolve('./server');

// A measurement is given up on after this many seconds more than it should take.
const PATIENCE = 10;

const STRATEGIES = ['immediate', 'prioritized'];

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

const options = {
  seconds: number('measure each row for at least N seconds a round, and up to the end of the list '
    + 'of pages', 1.2, { min: 0.1, max: 600 }),
  rounds: rounds(4),
  pages: numbers('how many pages are requested at once', [1, 4, 16],
    { min: 1, max: 256, isInteger: true }),
};

// Every strategy must deliver the same bytes, or the comparison means nothing.
function checkHashes([first, ...rest]) {
  const different = Object.keys(first).filter((url) =>
    first[url].includes(',') || rest.some((hashes) => hashes[url] !== first[url]));
  if (different.length > 0) {
    throw new Error(`${different.length} pages differ between the strategies`);
  }
}

// Starts a server of each strategy, and lets it build its index and render every page.
async function open({ seconds }, { start, startServer }) {
  const load = start(LOAD, { place: 'load' });
  const execArgv = [...process.execArgv, '--expose-gc'];
  const servers = {};
  const hashes = [];
  for (const strategy of STRATEGIES) {
    const server = await startServer(SERVER, { strategy }, { execArgv });
    const { url, paths } = server;
    await server.ask('buildIndex');
    hashes.push(await load.ask('hashPages', { url, paths, times: 1 }));
    servers[strategy] = server;
  }
  checkHashes(hashes);
  const { paths, bytes, sectionsPerPage } = servers[STRATEGIES[0]];
  return { load, servers, seconds, sectionsPerPage, facts: { documents: paths.length, bytes } };
}

const plan = ({ pages: all }, { sectionsPerPage }) => all.map((pages) => ({
  pages, title: `${pages} ${pages === 1 ? 'page' : 'pages'} at once`,
  rows: STRATEGIES.flatMap((strategy) => KINDS.filter(({ only = strategy }) => only === strategy)
    .map(({ kind, label, isIndex = false, isWide }) => ({
      strategy, kind, isIndex,
      name: `${strategies[strategy].name}, ${label}`,
      width: isWide ? Math.round(pages * sectionsPerPage) : pages,
      runs: [],
    }))),
}));

async function measureRow(pages, { strategy, isIndex, width }, seconds, { load, servers }) {
  const { url, paths, ask } = servers[strategy];
  await load.ask('open', { urls: [url], path: '/health' });
  await ask('begin', { isIndex, width });
  const visits = await load.ask('visitList',
    { paths, visitors: pages, seconds, limit: seconds + PATIENCE });
  return { visits, server: await ask('end') };
}

async function measure({ pages, rows: all }, turns, opened) {
  for (const row of all) await measureRow(pages, row, 0, opened);
  for (const { rows } of turns) {
    for (const row of rows) row.runs.push(await measureRow(pages, row, opened.seconds, opened));
  }
}

// Returns the measurements of one run as a flat object of numbers.
function summarizeRun({ visits, server }) {
  const [health, first, page] = [visits.health, visits.first, visits.complete].map(summarizeTimes);
  return {
    healthP50: health.p50, healthP99: health.p99,
    firstP50: first.p50, firstP99: first.p99,
    pageP50: page.p50, pageP99: page.p99,
    pagesPerSecond: page.count / visits.elapsed * 1000,
    indexedPerSecond: server.indexed / server.elapsed * 1000,
    backgroundShare: server.backgroundMs / server.elapsed,
  };
}

function summarize({ rows, ...cell }) {
  return {
    ...cell,
    rows: rows.map(({ runs, ...row }) => {
      const summaries = runs.map(summarizeRun);
      return {
        ...row, rounds: summaries, ...mediansOf(summaries),
        isCut: runs.some(({ visits }) => visits.cut),
      };
    }),
  };
}

// A goal of a ratio of two rows; rows that were given up on cannot be compared.
const judgeRatio = (compareFigures, { title }, text, [own, other], key, limit) =>
  compareFigures(title, text, own.isCut || other.isCut ? null : compare(own, other, key), limit);

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

const ms = or((value) => value.toFixed(value < 100 ? 2 : 0));

const COLUMNS = [
  { head: 'strategy,\nbackground work', value: ({ name, isCut }) => `${name}${isCut ? '*' : ''}` },
  column('/health\np50 ms', 'healthP50', ms),
  column('p99 ms', 'healthP99', ms),
  column('first byte\np50 ms', 'firstP50', ms),
  column('p99 ms', 'firstP99', ms),
  column('page\np50 ms', 'pageP50', ms),
  column('p99 ms', 'pageP99', ms),
  column('pages/s', 'pagesPerSecond', fixed(0)),
  column('background\ndocs/s', 'indexedPerSecond', fixed(0)),
  column('thread', 'backgroundShare', percent),
];

module.exports = {
  title: 'Pages under load',
  about: 'The site of `npm start`, saturated.',
  options, open, plan, measure, summarize,
  judge: (cells) => cells.flatMap(judgeCell),
  columns: () => COLUMNS,
  introduce: ({ documents, bytes }) => `${documents} documents, ${Math.round(bytes / 1024)} KB of
Markdown; medians. The load comes from another process: so many visitors ask for a page as soon as
they have the last one; a health check goes out every 5 ms. Background work never ends. A round with
* was given up on before every page had been visited.
`,
};
