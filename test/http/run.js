'use strict';

// Runs one scenario as a main script: `node run.js <set> <title>`. Prints its result as JSON.

const path = require('node:path');

const [set, title] = process.argv.slice(2);
const { run } = require(path.join(__dirname, `${set}.js`))[title];

process.exitCode = 1;
run().then((result) => {
  process.exitCode = 0;
  process.stdout.write(JSON.stringify(result));
});
