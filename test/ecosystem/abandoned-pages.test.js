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
const ANSWERS = {
  visitor: [{ isWhole: false }],
  limit: [{ isWhole: true, status: 503 }, { isWhole: false, status: 200 }],
};

async function assertEnds(child, end) {
  // Has a page ended, and resolves to what the fixture says of it.
  const endPage = (how) => {
    child.send(how);
    return hear(child);
  };
  await hear(child);
  const whole = await endPage('none');
  assert.ok(whole.isWhole && whole.isEnded, JSON.stringify(whole));
  const { status, isWhole, isEnded, after } = await endPage(end);
  const isKnown = ANSWERS[end].some((answer) =>
    answer.isWhole === isWhole && (answer.status ?? status) === status);
  assert.ok(isKnown, `status ${status}, ${isWhole ? 'whole' : 'cut off'}`);
  assert.equal(isEnded, false, 'a part of the page is taken for all of it');
  assert.ok(after <= PIECE, `${after} orders were rendered after the abort`);
}

describe('a page that nobody waits for any more', () => {
  let child;
  afterEach(() => child.kill('SIGKILL'));

  for (const program of PROGRAMS) {
    if (program.example || !runsOn(program, NODE.version)) continue;
    for (const end of Object.keys(ANSWERS)) {
      it(`ends after the abort of a ${end}: ${program.name}`, async () => {
        const command = commandOf(program, 'uv-scheduler');
        // Frameworks log the errors of such pages.
        const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
        child = start(command, NODE, { execArgv: ['--require', FIXTURE], stdio });
        await assertEnds(child, end);
      }).timeout(3 * LIMIT);
    }
  }
});
