/* global document -- in functions that run in the browser */
'use strict';

// Starts Chromium without a window, and serves pages to it. Playwright drives it; its package is in
// ecosystem/browser/, and set-up has installed the browser.

const { execFileSync } = require('node:child_process');
const { once } = require('node:events');
const http = require('node:http');
const { find } = require('../../scripts/setup/system.js');
const { finder } = require('./installed.js');

const playwright = finder('browser')('playwright-core', 'playwright-core');

// A browser that looks for updates would be refused on a machine without the Internet. Root needs
// --no-sandbox, and only pages of this repository are opened.
const ARGUMENTS = [
  '--no-sandbox', '--disable-background-networking', '--disable-component-update',
  '--disable-gpu', '--disable-quic', '--disable-sync',
];

function launch() {
  const name = find('chromium');
  if (name === undefined) {
    throw new Error('Chromium is not installed. Run: npm test -- --ecosystem');
  }
  const { chromium } = require(playwright);
  const executablePath = execFileSync('which', [name], { encoding: 'utf8' }).trim();
  return chromium.launch({ executablePath, args: ARGUMENTS });
}

// Neither inline scripts nor WebAssembly.
const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'";

// Serves texts by their paths, as HTML or JavaScript, on a port of its own. Resolves to the server
// and its address.
async function serveTexts(texts) {
  const server = http.createServer(({ url }, response) => {
    if (!(url in texts)) return response.writeHead(404).end();
    const isHtml = url.endsWith('.html');
    response.setHeader('content-type', isHtml ? 'text/html' : 'text/javascript');
    response.setHeader('content-security-policy', POLICY);
    return response.end(texts[url]);
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return { server, origin: `http://localhost:${server.address().port}` };
}

// Opens a page in a browser of its own. Resolves to the text of its body once a function of the
// document returns true. An error in the page rejects it.
async function textOf(url, isReady) {
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const failed = new Promise((resolve, reject) => page.on('pageerror', reject));
    await page.goto(url);
    await Promise.race([page.waitForFunction(isReady), failed]);
    return await page.evaluate(() => document.body.innerText);
  } finally {
    await browser.close();
  }
}

// Runs a module in a page. Resolves to what it shows as JSON.
async function showInPage(module) {
  const html = '<!DOCTYPE html><body><script type="module" src="/page.js"></script></body>';
  const { server, origin } = await serveTexts({ '/page.html': html, '/page.js': module });
  try {
    return JSON.parse(await textOf(`${origin}/page.html`, () => document.body.innerText !== ''));
  } finally {
    server.close();
  }
}

module.exports = { launch, serveTexts, showInPage, textOf };
