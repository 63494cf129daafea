'use strict';

// `npm run build`: set-up alone, up to a built addon.

require('./setup/check-node');
const { runMain, say } = require('./setup/process');
const { prepare } = require('./setup');

runMain(() => {
  prepare();
  say('ready');
  return 0;
});
