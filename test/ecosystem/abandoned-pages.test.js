'use strict';

// The programs of docs/frameworks.md after an abort: the visitor leaves, or a time limit ends the
// page. From then on the program renders no further section, no turn of the loop is long, and a
// part of a page is not sent as a whole page. The sections of Nuxt and SvelteKit are rendered
// without a build.
// @lane long

const assert = require('node:assert/strict');
const path = require('node:path');
const { hear, start } = require('../helpers/benchmark-programs.js');
const { FIXTURES, LIMIT, nodes } = require('../helpers/loop.js');
const { PROGRAMS, commandOf, runsOn } = require('../../bench/frameworks/list.js');

const NODE = nodes.at(-1);
const SECTIONS = path.join(FIXTURES, 'sections-of-examples.js');
const FIXTURE = path.join(FIXTURES, 'abandoned-page.js');

// How often a page is ended. The machine may make one turn long, for example by a collection of
// garbage, but hardly each.
const TIMES = 3;
// The most orders of a piece, which may be under way at the abort. A page has ten thousand or more.
const PIECE = 200;
// The longest turn after an abort, as a share of a page.
const MAX_TURN = 0.25;

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
  const { cost } = await endPage('none');
  const turns = [];
  for (let time = 0; time < TIMES; time++) {
    const { status, isWhole, isEnded, after, longest } = await endPage(end);
    const isKnown = ANSWERS[end].some((answer) =>
      answer.isWhole === isWhole && (answer.status ?? status) === status);
    assert.ok(isKnown, `status ${status}, ${isWhole ? 'whole' : 'cut off'}`);
    assert.equal(isEnded, false, 'a part of the page is taken for all of it');
    assert.ok(after <= PIECE, `${after} orders were rendered after the abort`);
    turns.push(longest);
  }
  const longest = Math.min(...turns);
  assert.ok(longest < MAX_TURN * cost, `a turn of ${longest} ms of a page of ${cost} ms`);
}

// The programs by their names, with the file and the arguments of each.
const COMMANDS = [
  ...PROGRAMS.filter((program) => !program.example && runsOn(program, NODE.version))
    .map((program) => [program.name, commandOf(program, 'uv-scheduler')]),
  ...['nuxt', 'sveltekit'].map((name) => [name, { file: SECTIONS, args: ['uv-scheduler', name] }]),
];

describe('a page that nobody waits for any more', () => {
  let child;
  afterEach(() => child.kill('SIGKILL'));

  for (const [name, command] of COMMANDS) {
    for (const end of Object.keys(ANSWERS)) {
      it(`ends after the abort of a ${end}: ${name}`, async () => {
        // Frameworks log the errors of such pages.
        const stdio = ['ignore', 'ignore', 'ignore', 'ipc'];
        child = start(command, NODE, { execArgv: ['--require', FIXTURE], stdio });
        await assertEnds(child, end);
      }).timeout(3 * LIMIT);
    }
  }
});
