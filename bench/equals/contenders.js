'use strict';

// The servers that are compared: all render the same pages, in one go or in pieces of which each
// may be followed by a pause.

const http = require('node:http');

const { MIXES } = require('./mixes');

const NAMES = {
  plain: 'plain Node',
  immediate: 'setImmediate, each ms',
  shouldYield: 'uv-scheduler, shouldYield()',
  pieces: 'uv-scheduler, pieces()',
  controllerFor: 'uv-scheduler, tasks by controllerFor()',
  admission: 'uv-scheduler, createAdmission()',
};

const BODY = '<p>A page</p>\n'.repeat(300);

/** Returns a server that does not listen yet. */
function createContender({ contender, mix }) {
  // The package is there only when set-up has built it.
  const { IDIOMS, REQUESTS } = require('./work');
  const byPath = new Map(MIXES[mix].kinds.map((kind) => [`/${kind.name}`, kind]));
  const listen = async (render, request, response) => {
    await render(byPath.get(request.url));
    response.end(BODY);
  };
  const createListener = REQUESTS[contender] ?? ((listener) => listener);
  const render = IDIOMS[contender] ?? IDIOMS.pieces;
  return http.createServer(createListener(
    (request, response, own = render) => listen(own, request, response)));
}

module.exports = { NAMES, createContender };
