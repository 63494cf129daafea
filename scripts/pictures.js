'use strict';

// `npm run pictures`: takes docs/scheduler-page.png in Chromium: the page /scheduler of the site of
// `npm start` with visitors and a rebuild of the search index. No two pictures are the same.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { prepare } = require('./setup');
const npm = require('./setup/npm');
const { ROOT, runMain, say } = require('./setup/process');
const system = require('./setup/system');

const BROWSER = path.join(ROOT, 'test', 'ecosystem', 'browser');
const SITE = path.join(ROOT, 'examples', 'docs-site', 'main.js');
const PICTURE = path.join(ROOT, 'docs', 'scheduler-page.png');

// As long as the page remembers, in milliseconds.
const TIME = 60_000;

const VISITORS = 6;
// The longest pause between two pages of a visitor, in milliseconds.
const READING = 300;

// Runs the site while `use(url)` does.
async function withSite(use) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [SITE, '--serve', '--busy'], { stdio });
  const ended = once(child, 'close');
  try {
    const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
    await use(/http:\/\/[^/\s]+/.exec(text)[0]);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

// Visitors read its pages for so many milliseconds.
async function visit(url, time) {
  const list = await (await fetch(url)).text();
  const links = Array.from(list.matchAll(/href="(\/docs\/[^"#]+)"/g), ([, link]) => link);
  const end = performance.now() + time;
  let next = 0;
  const visitor = async () => {
    while (performance.now() < end) {
      // Neighbours in the list are alike.
      const page = next++ * 7 % links.length;
      await (await fetch(url + links[page])).text();
      await delay(page % READING);
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, visitor));
}

async function takePicture(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1160, height: 800 } });
  await page.goto(`${url}/scheduler`);
  // With visitors, without, and with them again.
  await visit(url, TIME * 0.4);
  await delay(TIME * 0.3);
  await visit(url, TIME * 0.3);
  await page.screenshot({ path: PICTURE, fullPage: true });
}

runMain(async () => {
  await prepare();
  await npm.install(BROWSER, 'packages for test/ecosystem/browser');
  system.prepare('chromium');
  const { launch } = require(path.join(ROOT, 'test', 'helpers', 'chromium'));
  const browser = await launch();
  try {
    say(`taking ${path.relative(ROOT, PICTURE)} …`);
    await withSite((url) => takePicture(browser, url));
  } finally {
    await browser.close();
  }
  return 0;
});
