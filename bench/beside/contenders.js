'use strict';

// The servers that are compared: `/plain` computes in the callback of a timer, which is no task,
// and is the same in all of them; `/page` is rendered in one go or in pieces; `/health` answers at
// once.

const http = require('node:http');
const { spin, spinWithPauses } = require('../harness/spin');

const NAMES = {
  whole: 'pages in one go',
  immediate: 'pages by setImmediate, each ms',
  slices: 'pages by setImmediate, each 5 ms',
  pieces: 'pages by pieces()',
};

const PLAIN_MS = 5;
const PAGE = { count: 200, ms: 0.1 };

function createPieces(root) {
  const { pieces } = require(root);
  return async () => {
    for await (const piece of pieces(new Array(PAGE.count).fill(PAGE.ms))) spin(piece);
  };
}

const RENDERERS = {
  whole: () => () => spinWithPauses(PAGE, Infinity),
  immediate: () => () => spinWithPauses(PAGE, 1),
  slices: () => () => spinWithPauses(PAGE, 5),
  pieces: createPieces,
};

// Returns a server that does not listen yet. `root` is the path of the package.
function createContender({ contender, root }) {
  const render = RENDERERS[contender](root);
  return http.createServer(async (request, response) => {
    if (request.url === '/page') await render();
    if (request.url === '/plain') {
      await new Promise((resolve) => setTimeout(() => resolve(spin(PLAIN_MS)), 1));
    }
    response.end('OK');
  });
}

module.exports = { NAMES, PAGE_MS: PAGE.count * PAGE.ms, PLAIN_MS, createContender };
