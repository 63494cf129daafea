'use strict';

// Starts Chromium without a window. Playwright drives it; its package is in browser/, and set-up
// has installed the browser.

const { execFileSync } = require('node:child_process');
const { find } = require('../../scripts/setup/system.js');
const { finder } = require('./installed.js');

const playwright = finder('browser')('playwright-core', 'playwright-core');

// A browser that looks for updates would be refused on a machine without the Internet. Root needs
// --no-sandbox, and only pages of this repository are opened.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
];

function pathOf(name) {
  return execFileSync('which', [name], { encoding: 'utf8' }).trim();
}

function launch() {
  const name = find('chromium');
  if (name === undefined) {
    throw new Error('Chromium is not installed. Run: npm test -- --ecosystem');
  }
  const { chromium } = require(playwright);
  return chromium.launch({ executablePath: pathOf(name), args: ARGUMENTS });
}

module.exports = { launch };
