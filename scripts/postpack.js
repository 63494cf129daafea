'use strict';

// What npm runs after it has packed the package: takes out of package.json what scripts/prepack.js
// has added.

const { runMain } = require('./setup/process');
const { writeDependencies } = require('./setup/packages');

runMain(() => {
  // npm runs this after `npm run pack`, too, which has packed with npm itself.
  if (process.env.npm_command?.startsWith('run')) return 0;
  writeDependencies([]);
  return 0;
});
