'use strict';

// Makes the standalone server of the site on Next.js, which needs a build.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { EXTERNAL } = require('../../../lib/loading/load-errors.js');
const { build, makeApp } = require('../bundlers/next.js');

const ROOT = path.join(__dirname, '..', '..', '..');

// Makes a standalone server of Next.js in a folder, with this checkout as the package.
async function makeNextSite(folder) {
  const app = path.join(folder, 'app');
  makeApp(app);
  const output = await build(app, { bundler: 'turbopack', line: EXTERNAL['Next.js'] });
  const standalone = path.join(output, 'standalone');
  const installed = path.join(standalone, 'node_modules', 'uv-scheduler');
  fs.rmSync(installed, { recursive: true });
  fs.symlinkSync(ROOT, installed, 'junction');
  return standalone;
}

// Calls `work` while the environment variable NEXT_SITE names such a folder.
async function withNextSite(work) {
  // The paths in the output of a bundler are without symbolic links.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-sites-')));
  try {
    process.env.NEXT_SITE = await makeNextSite(folder);
    return await work();
  } finally {
    delete process.env.NEXT_SITE;
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { withNextSite };
