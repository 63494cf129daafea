'use strict';

// The same as bindings.js, for webpack and compatible bundlers: Rspack, and Next.js with webpack.
// They bundle the packages that are installed, and do not require the others. The scope contains
// only packages of binaries.

function packagedFile(platform) {
  try {
    const packages = require.context('@uv-scheduler', true, /\/index\.webpack\.mjs$/);
    return packages(`./binding-${platform}/index.webpack.mjs`).file;
  } catch {
    return undefined;
  }
}

module.exports = { packagedFile };
