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

// The work of a class is summed over spans of this length, in ms.
const SPAN = 100;

// Returns a function that blocks the thread for so many ms, and adds them to the list of their span
// since the first call.
function createWork(spans, clock) {
  return (ms) => {
    spin(ms);
    clock.start ??= performance.now();
    const span = Math.floor((performance.now() - clock.start) / SPAN);
    spans[span] = (spans[span] ?? 0) + ms;
  };
}

function createPieces(root) {
  const { pieces } = require(root);
  return async (work) => {
    for await (const piece of pieces(new Array(PAGE.count).fill(PAGE.ms))) work(piece);
  };
}

const RENDERERS = {
  whole: () => (work) => spinWithPauses(PAGE, Infinity, work),
  immediate: () => (work) => spinWithPauses(PAGE, 1, work),
  slices: () => (work) => spinWithPauses(PAGE, 5, work),
  pieces: createPieces,
};

// Returns a server that does not listen yet, whose `work` are the spans of each class. `root` is
// the path of the package.
function createContender({ contender, root }) {
  const render = RENDERERS[contender](root);
  const [clock, spans] = [{}, { plain: [], page: [] }];
  const [plain, page] = Object.values(spans).map((each) => createWork(each, clock));
  const server = http.createServer(async (request, response) => {
    if (request.url === '/page') await render(page);
    if (request.url === '/plain') {
      await new Promise((resolve) => setTimeout(() => resolve(plain(PLAIN_MS)), 1));
    }
    response.end('OK');
  });
  return Object.assign(server, { work: spans });
}

module.exports = {
  NAMES, PAGE_MS: PAGE.count * PAGE.ms, PLAIN_MS, SPAN, createContender,
};
