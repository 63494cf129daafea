'use strict';

// The examples on React Router, SvelteKit, Nuxt and Astro: each is built once, and then started,
// asked, left by a client, opened in Chromium if it has code for browsers, and ended by SIGTERM.
// @lane long

const assert = require('node:assert/strict');
const { setTimeout: delay } = require('node:timers/promises');
const { launch } = require('../helpers/chromium.js');
const { testPrograms } = require('../helpers/benchmark-programs.js');
const tests = require('../helpers/example-tests.js');
const { LIMIT, nodes } = require('../helpers/loop.js');
const examples = require('../../scripts/setup/examples.js');

const { SLOW, testClasses, testHostileClients, testLongPage, testTimeLimit, useServer } = tests;

const PAUSE = 100;

// The page in a browser: what the server has rendered, and a button that shows more of a section.
function testBrowser(current) {
  it('goes on in a browser with what the server has rendered', async () => {
    const browser = await launch();
    try {
      const page = await browser.newPage();
      page.setDefaultTimeout(LIMIT / 2);
      const complaints = [];
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(`${current.server.url}/report`);
      const sections = page.locator('section');
      const last = sections.last();
      assert.match(await last.textContent(), /^1999-12 ?More/);
      const button = last.locator('button');
      // The button does nothing before the page has its code.
      while ((await button.textContent()) !== 'Less') {
        await button.click();
        await delay(PAUSE);
      }
      assert.deepEqual(await last.locator('li').count(), 6);
      assert.equal(await sections.count(), 300);
      assert.deepEqual(complaints, []);
    } finally {
      await browser.close();
    }
  }).timeout(SLOW);
}

const EXPORT = {
  page: '/orders.csv', end: /\n2024-12,shelf,\d+\n$/,
  left: /\/orders\.csv: the client left; (\d+) of (\d+) months were exported/,
};

// SvelteKit itself fails if something else has answered, and Astro's signal knows no time limit of
// the response. Both refuse a POST without these headers, as that of a form of another site.
const headers = { 'content-type': 'application/json' };

const EXAMPLES = {
  'react-router': { end: /<h2>1999-12.*<\/html>/s },
  'sveltekit': {
    end: /<h2>1999-12.*<p>The end<\/p>.*<\/html>\n$/s, headers, hasLimit: false,
  },
  'nuxt': { end: /<h2>1999-12.*<p>The end<\/p>.*<\/html>$/s },
  'astro': {
    end: /<h2>1999-12.*<p>The end<\/p><\/body><\/html>$/s, headers, made: 'rendered',
    isStreamed: true, isForBrowsers: false, hasLimit: false,
  },
};

// The build of each makes an application. It runs on the newest Node that the framework supports.
for (const [name, example] of Object.entries(EXAMPLES)) {
  const { isForBrowsers = true, hasLimit = true, headers, ...options } = example;
  const { made = 'prepared' } = options;
  const left = new RegExp(`/report: the visitor left; (\\d+) of (\\d+) months were ${made}`);
  const report = { page: '/report', left, isStreamed: false, ...options };
  describe(`the example ${name}`, () => {
    const node = nodes.findLast(({ version }) => examples.runsOn(name, version));

    before(() => examples.build(name, node.path)).timeout(SLOW);

    testPrograms((program) => program.example === name, node);

    const start = () => ({ node: node.path, args: examples.argumentsOf(name, 'start') });
    const current = useServer(name, start);
    testLongPage(current, report);
    testLongPage(current, EXPORT);
    if (hasLimit) testTimeLimit(name, start, report);
    testClasses(current, EXPORT.page, { headers });
    const pages = [report.page, EXPORT.page, '/health', 'POST /checkout'];
    testHostileClients(current, { pages, end: options.end });
    if (isForBrowsers) testBrowser(current);
  });
}
