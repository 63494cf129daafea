'use strict';

// What npm runs after it has packed the package: takes out of package.json what scripts/prepack.js
// has added.

const { runMain } = require('./setup/process');
const { writeDependencies } = require('./setup/packages');

runMain(() => {
  writeDependencies([]);
  return 0;
});
