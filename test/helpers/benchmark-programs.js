'use strict';

// Owns the tests that all programs of `npm run bench frameworks` have in common: each makes the
// same page in every variant that the benchmark compares, and with uv-scheduler it answers others
// meanwhile.

const assert = require('node:assert/strict');
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { LIMIT } = require('./programs.js');
const { PROGRAMS, VARIANTS, commandOf, runsOn } = require('../../bench/frameworks/list.js');

const SLOW = 3 * LIMIT;

function start({ file, args }, node, options) {
  const env = { ...process.env, NODE_ENV: 'production', PORT: '0' };
  return fork(file, args, { execPath: node.path, execArgv: [], env, ...options });
}

// Resolves to the next message of a program.
async function hear(child) {
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (typeof message === 'object' && message !== null) return message;
  throw new Error(`The program has ended: ${message}`);
}

async function ask(url) {
  const response = await fetch(url);
  return { status: response.status, body: await response.text() };
}

// Svelte marks where the components of a page begin and end.
const withoutMarks = (body) => body.replace(/<!--.*?-->/g, '');

// The sections of a page that is sent in the order in which they are ready.
const sectionsOf = (body) =>
  [...withoutMarks(body).matchAll(/<section.*?<\/section>/gs)].map(String).sort().join('');

function testProgram(program, open) {
  const { name, example, page = '/page' } = program;
  const contentOf = example ? sectionsOf : withoutMarks;

  it(`${name} sends the same page in each variant`, async () => {
    const pages = [];
    for (const variant of VARIANTS) {
      const { status, body } = await ask(`${await open(program, variant)}${page}`);
      assert.equal(status, 200, variant);
      pages.push(contentOf(body));
    }
    assert.ok(pages[0].length > (example ? 30_000 : 100_000), `${pages[0].length} characters`);
    for (const each of pages) assert.ok(each === pages[0], 'the pages differ');
  }).timeout(SLOW);

  // The tests of an example have that.
  if (example) return;
  it(`${name} answers others before its pages are complete`, async () => {
    const url = await open(program, 'uv-scheduler');
    await ask(`${url}/health`);
    let complete = 0;
    const pages = Array.from({ length: 8 }, async () => {
      await ask(`${url}${page}`);
      complete++;
    });
    let between = 0;
    while (complete < pages.length) {
      await ask(`${url}/health`);
      between++;
    }
    await Promise.all(pages);
    // Without cuts there is at most one answer after each page.
    assert.ok(between > 2 * pages.length, `${between} answers`);
  }).timeout(SLOW);
}

// Tests the programs for which `isWanted(program)` is true, if they run on that Node.
function testPrograms(isWanted, node) {
  describe(`on Node ${node.version}, the program of bench frameworks`, () => {
    const children = [];
    afterEach(() => {
      for (const child of children.splice(0)) child.kill('SIGKILL');
    });

    // Examples have all of their page, of which the benchmark may take a part.
    async function open(program, variant) {
      const child = start(commandOf({ ...program, env: {} }, variant), node);
      children.push(child);
      return (await hear(child)).url;
    }

    const programs = PROGRAMS.filter((program) => runsOn(program, node.version));
    for (const program of programs.filter(isWanted)) testProgram(program, open);
  });
}

module.exports = { hear, start, testPrograms };
