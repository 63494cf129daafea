'use strict';

// Ends the process with a plain message when Node is too old for the project's tools (mocha,
// ESLint, the napi command). It is loaded before anything else, and therefore uses no feature that
// an old Node lacks. The package itself needs Node 20.19 or 22.3 (`engines` in package.json),
// because earlier releases lack `addAbortListener`, `uv_metrics_info` or `getBuiltinModule`.
/* eslint-disable no-var */

// The oldest release of each major version that the tools support; newer majors all work.
var MINIMUM = { 20: 19, 22: 13 };

var parts = process.versions.node.split('.').map(Number);
var major = parts[0];
var enough = major > 22 || (major in MINIMUM && parts[1] >= MINIMUM[major]);

if (!enough) {
  console.error(
    '\n[uv-scheduler] Node 20.19, 22.13 or newer is needed to work on this project; this is Node ' +
      process.versions.node +
      '.\nGet one from https://nodejs.org/en/download, or from the system:\n' +
      '  Debian  sudo apt-get install nodejs npm   (Debian 13 or newer)\n' +
      '  Fedora  sudo dnf install nodejs npm\n' +
      '  Alpine  sudo apk add nodejs npm\n' +
      '  macOS   brew install node'
  );
  process.exit(1);
}
