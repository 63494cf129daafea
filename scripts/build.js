'use strict';

// `npm run build`: runs only set-up, including the build of the addon.

require('./setup/check-node');
const { runMain, say } = require('./setup/process');
const { prepare } = require('./setup');

runMain(() => {
  prepare();
  say('ready');
  return 0;
});
