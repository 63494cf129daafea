'use strict';

// The programs of docs/frameworks.md: each makes the same page in every variant that the benchmark
// compares, and with uv-scheduler it answers others while it makes the page. The page shows lines
// of these programs and of files of examples/ that it links to, and no figures but those that the
// benchmark wrote.

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { LIMIT, ROOT, nodes } = require('../helpers/loop.js');
const { codeBlocks, read } = require('../helpers/docs.js');
const { PROGRAMS, VARIANTS, runsOn } = require('../../bench/frameworks/list.js');
const { BEGIN, END } = require('../../bench/frameworks/report.js');

const FOLDER = path.join(ROOT, 'bench', 'frameworks', 'programs');
const DOCUMENT = 'docs/frameworks.md';
const NODE = nodes.at(-1);
const SLOW = 3 * LIMIT;

// Starts a program, and resolves to { child, url }.
function start(name, variant) {
  const child = fork(path.join(FOLDER, `${name}.js`), [variant], {
    execPath: NODE.path,
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production', PORT: '0' },
  });
  return new Promise((resolve, reject) => {
    child.once('message', ({ url }) => resolve({ child, url }));
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)));
  });
}

function ask(url) {
  return new Promise((resolve, reject) => {
    http.get(url, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    }).on('error', reject);
  });
}

// Svelte marks where the components of a page begin and end.
const withoutMarks = (body) => body.replace(/<!--.*?-->/g, '');

describe(`on Node ${NODE.version}, the program`, () => {
  const children = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function open(name, variant) {
    const { child, url } = await start(name, variant);
    children.push(child);
    return url;
  }

  for (const program of PROGRAMS.filter((each) => runsOn(each, NODE.version))) {
    it(`${program.name} sends the same page in each variant`, async () => {
      const pages = [];
      for (const variant of VARIANTS) {
        const { status, body } = await ask(`${await open(program.name, variant)}/page`);
        assert.equal(status, 200, variant);
        pages.push(withoutMarks(body));
      }
      assert.ok(pages[0].length > 100_000, `${pages[0].length} characters`);
      for (const page of pages) assert.ok(page === pages[0], 'the pages differ');
    }).timeout(SLOW);

    it(`${program.name} answers others before its pages are complete`, async () => {
      const url = await open(program.name, 'uv-scheduler');
      await ask(`${url}/health`);
      let complete = 0;
      const pages = Array.from({ length: 8 }, async () => {
        await ask(`${url}/page`);
        complete++;
      });
      let between = 0;
      while (complete < pages.length) {
        await ask(`${url}/health`);
        between++;
      }
      await Promise.all(pages);
      // Without cuts there is at most one answer after each page.
      assert.ok(between > 2 * pages.length, `${between} answers`);
    }).timeout(SLOW);
  }
});

describe(DOCUMENT, () => {
  const text = read(DOCUMENT);

  it('names every program of the benchmark', () => {
    const missing = PROGRAMS.filter(({ name }) => !text.includes(`/programs/${name}.js`));
    assert.deepEqual(missing, []);
  });

  it('shows lines of these programs and examples', () => {
    const programs = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.js'));
    const files = programs.map((name) => path.join(FOLDER, name));
    const links = text.matchAll(/\/blob\/main\/(examples\/\S+)$/gm);
    for (const [, file] of links) files.push(path.join(ROOT, file));
    const sources = files.map((file) => fs.readFileSync(file, 'utf8').replace(/^ +/gm, ''));
    const blocks = codeBlocks(text).filter(({ language }) => language === 'javascript');
    assert.ok(blocks.length > 0);
    for (const { line, code } of blocks) {
      const lines = code.replace(/^ +/gm, '');
      assert.ok(sources.some((source) => source.includes(lines)), `line ${line}`);
    }
  });

  it('has no times but those that the benchmark has written', () => {
    const begin = text.indexOf(BEGIN);
    const end = text.indexOf(END);
    assert.ok(begin > 0 && begin < end);
    const prose = text.slice(0, begin) + text.slice(end);
    assert.doesNotMatch(prose, /\d+ (?:ms|µs|s|pages)\b/);
  });
});
