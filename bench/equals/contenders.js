'use strict';

// The servers that are compared: all render the same pages, in one go or in pieces of which each
// may be followed by a pause.

const http = require('node:http');
const { MIXES, kindOf } = require('./mixes');

const NAMES = {
  plain: 'plain Node',
  immediate: 'setImmediate, each ms',
  shouldYield: 'uv-scheduler, shouldYield()',
  pieces: 'uv-scheduler, pieces()',
  controllerFor: 'uv-scheduler, tasks by controllerFor()',
  admission: 'uv-scheduler, createAdmission()',
};

const BODY = '<p>A page</p>\n'.repeat(300);

// Returns a server that does not listen yet.
function createContender({ contender, mix }) {
  // The package is there only when set-up has built it.
  const { IDIOMS, REQUESTS, sendEvents } = require('./work');
  const kindFor = ({ url }) => kindOf(MIXES[mix], url.slice(1));
  const listen = async (render, request, response) => {
    const kind = kindFor(request);
    try {
      if (kind.every !== undefined) return await sendEvents(response, kind, render);
      await render(kind);
      response.end(BODY);
    } catch (error) {
      // The visitor has left.
      if (error.name !== 'AbortError') throw error;
    }
  };
  const createListener = REQUESTS[contender] ?? ((listener) => listener);
  const render = IDIOMS[contender] ?? IDIOMS.pieces;
  return http.createServer(createListener(
    (request, response, own = render) => listen(own, request, response),
    { ...MIXES[mix], kindFor }));
}

module.exports = { NAMES, createContender };
