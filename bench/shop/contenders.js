'use strict';

// The shop of examples/shop as a server that does not listen yet: with the package, or plain. Its
// index is rebuilt again and again, as it is in the example, but more often.

const http = require('node:http');

const NAMES = { plain: 'plain', package: 'uv-scheduler' };

// Between two rebuilds, in ms.
const PAUSE = 2000;

async function keepIndex(rebuildIndex) {
  await rebuildIndex();
  setTimeout(keepIndex, PAUSE, rebuildIndex);
}

async function createContender({ contender }) {
  if (contender === 'plain') await import('../../examples/shop/plain/register.js');
  const { app } = await import('../../examples/shop/app.js');
  const { rebuildIndex } = await import('../../examples/shop/catalogue.js');
  keepIndex(rebuildIndex);
  return http.createServer(app);
}

module.exports = { NAMES, createContender };
