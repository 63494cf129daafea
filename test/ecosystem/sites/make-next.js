'use strict';

// Makes the site on Next.js of a standalone server, which needs a build.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { EXTERNAL } = require('../../../lib/loading/load-errors.js');
const { build, makeApp } = require('../bundlers/next.js');

const ROOT = path.join(__dirname, '..', '..', '..');

// Calls `work` while the environment variable NEXT_SITE names a standalone server, which gets this
// checkout as the package.
async function withStandalone(standalone, work) {
  const installed = path.join(standalone, 'node_modules', 'uv-scheduler');
  fs.rmSync(installed, { recursive: true });
  fs.symlinkSync(ROOT, installed, 'junction');
  process.env.NEXT_SITE = standalone;
  try {
    return await work();
  } finally {
    delete process.env.NEXT_SITE;
  }
}

// Builds the site, and does so with its standalone server.
async function withNextSite(work) {
  // The paths in the output of a bundler are without symbolic links.
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-sites-')));
  try {
    makeApp(folder);
    const output = await build(folder, { bundler: 'turbopack', line: EXTERNAL['Next.js'] });
    return await withStandalone(path.join(output, 'standalone'), work);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { withNextSite, withStandalone };
