'use strict';

// The programs of docs/frameworks.md after an abort: the visitor leaves, or a time limit ends the
// page. From then on the program renders nothing but the piece under way, and a part of a page is
// not sent as a whole page. Examples are tested beside what else they do.
// @lane long

const assert = require('node:assert/strict');
const path = require('node:path');
const { hear, start } = require('../helpers/benchmark-programs.js');
const { FIXTURES, LIMIT, nodes } = require('../helpers/loop.js');
const { PROGRAMS, commandOf, runsOn } = require('../../bench/frameworks/list.js');

const NODE = nodes.at(-1);
const FIXTURE = path.join(FIXTURES, 'abandoned-page.js');

// The most orders of a piece, which may be under way at the abort. A page has ten thousand or more.
const PIECE = 200;

// The answers that a visitor may get at an abort. If a program has sent the head of the page, it
// cuts the page off.
const ANSWERS = { visitor: ['cut off'], limit: ['cut off', '503'] };

async function answerOf(url) {
  try {
    const response = await fetch(url);
    await response.text();
    return `${response.status}`;
  } catch {
    return 'cut off';
  }
}

describe('a page that nobody waits for any more', () => {
  let child;
  afterEach(() => child.kill('SIGKILL'));

  for (const program of PROGRAMS) {
    if (program.example || !runsOn(program, NODE.version)) continue;
    for (const [END, answers] of Object.entries(ANSWERS)) {
      it(`ends after the abort of a ${END}: ${program.name}`, async () => {
        const env = { ...process.env, NODE_ENV: 'production', PORT: '0', END };
        // Frameworks log the errors of such pages.
        const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
        const options = { execArgv: ['--require', FIXTURE], stdio, env };
        child = start(commandOf(program, 'uv-scheduler'), NODE, options);
        const { url } = await hear(child);
        const [answer, { isEnded, after }] = await Promise.all([answerOf(url), hear(child)]);
        assert.ok(answers.includes(answer), answer);
        assert.equal(isEnded, false, 'a part of the page is taken for all of it');
        assert.ok(after <= PIECE, `${after} orders were rendered after the abort`);
      }).timeout(3 * LIMIT);
    }
  }
});
