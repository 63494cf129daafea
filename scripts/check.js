'use strict';

// `npm run check NAME`: runs one of the long checks, a file of check/, with the other arguments.

require('./setup/check-node');
const fs = require('node:fs');
const path = require('node:path');
const { checkName, runMain } = require('./setup/process');

const FOLDER = path.join(__dirname, 'check');

runMain(([name, ...args]) => {
  checkName('check', name, fs.readdirSync(FOLDER).map((file) => path.parse(file).name));
  return require(path.join(FOLDER, name))(args);
});
