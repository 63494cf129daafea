'use strict';

// The same as bindings.js, for webpack and what works like it: Rspack, and Next.js with webpack.
// They take in the packages that are installed, and do not ask for the others. The scope holds
// nothing but packages of binaries.

function packagedFile(platform) {
  try {
    const packages = require.context('@uv-scheduler', true, /\/index\.webpack\.mjs$/);
    return packages(`./binding-${platform}/index.webpack.mjs`).file;
  } catch {
    return undefined;
  }
}

module.exports = { packagedFile };
