'use strict';

// The page /scheduler of the site of `npm start`, with visitors and a rebuild of the search index.

const { startSite, visit } = require('./site');

// As long as the page remembers.
const SECONDS = 60;

// Takes the picture into a file.
module.exports = async (browser, file) => {
  const { url, stop } = await startSite('--busy');
  try {
    const page = await browser.newPage({ viewport: { width: 1160, height: 800 } });
    await page.goto(`${url}/scheduler`);
    // With visitors, without, and with them again.
    await visit(url, SECONDS * 0.4);
    await page.waitForTimeout(SECONDS * 0.3 * 1000);
    await visit(url, SECONDS * 0.3);
    await page.screenshot({ path: file, fullPage: true });
    await page.close();
  } finally {
    await stop();
  }
};
