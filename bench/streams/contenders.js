'use strict';

// The servers that are compared: pages, lists, and streams of tokens with a tool between them, all
// behind the `await` of a query. With the package, what takes long is cut by pieces().

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { spin } = require('../harness/spin');

const NAMES = { plain: 'plain Node', package: 'uv-scheduler' };

// The thread time of each, in ms, and the share of pages and lists of the requests that are short.
const KINDS = {
  page: { work: 10, share: 0.7 },
  list: { work: 20, share: 0.3 },
};

// The tokens that a model sends before the tool, and again behind it: their number, the pause
// between two, and the thread time of one and of the tool, in ms.
const TOKENS = 70;
const BETWEEN = 30;
const TOKEN = 0.3;
const TOOL = 60;

const STREAM = 2 * TOKENS * TOKEN + TOOL;

const END = 'end\n';

async function sendTokens(response) {
  for (let i = 0; i < TOKENS && !response.destroyed; i++) {
    await sleep(BETWEEN);
    spin(TOKEN);
    response.write('token\n');
  }
}

// Work in units of a millisecond, one after the other in plain Node.
async function compute(ms, { pieces, currentTaskSignal }) {
  const signal = currentTaskSignal();
  for await (const unit of pieces(new Array(ms).fill(1), { signal })) spin(unit);
}

const UNCUT = {
  currentTaskSignal() {},
  pieces: (items) => items,
};

function createContender({ contender }) {
  const isPlain = contender === 'plain';
  const api = isPlain ? UNCUT : require('../..');
  async function answer(name, response) {
    await sleep(10);
    if (name !== 'stream') {
      await compute(KINDS[name].work, api);
      return response.end(END);
    }
    response.writeHead(200);
    await sendTokens(response);
    await compute(TOOL, api);
    await sendTokens(response);
    response.end(END);
  }
  const listener = async (request, response) => {
    try {
      await answer(request.url.slice(1), response);
    } catch (error) {
      // The visitor has left.
      if (error.name !== 'AbortError') throw error;
    }
  };
  if (isPlain) return http.createServer(listener);
  const { createAdmission } = require('../../dist/http.js');
  const admission = createAdmission({ fairnessKey: ({ url }) => url });
  return http.createServer(admission.handler(listener));
}

module.exports = { END, KINDS, NAMES, STREAM, createContender };
