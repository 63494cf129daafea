'use strict';

// Applications of Next.js, built with each of its bundlers, with the package taken in or left
// outside. Each is started as it stands, and as the standalone server that `next build` makes.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { LIMIT } = require('../helpers/loop.js');
const { EXTERNAL } = require('../../lib/loading/load-errors.js');
const { refusal } = require('../helpers/refusals.js');
const { ask, build, makeApp } = require('./bundlers/next.js');
const { BINARY, BINDING, PLATFORM } = require('../helpers/packed.js');

const ORDER = 'ub t0 uv bg';
const LINE = EXTERNAL['Next.js'];
const SLOW = 6 * LIMIT;

// Asserts that a route handler and a page answer with the order.
async function assertAnswers(cwd, script) {
  const { answers, output } = await ask(cwd, ['/order', '/'], script);
  assert.equal(answers[0], `200 ${ORDER}`, output);
  assert.match(answers[1], new RegExp(`^200 <!DOCTYPE html>.*<p>${ORDER}</p>`), output);
}

describe('an application of Next.js built by', () => {
  let root;
  let app;
  let count = 0;

  before(function () {
    this.timeout(SLOW);
    // The paths in the output of a bundler are without symbolic links.
    root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-next-')));
    app = path.join(root, 'app');
    makeApp(app);
  });

  after(() => fs.rmSync(root, { recursive: true, force: true }));

  // Copies the standalone server out of the application.
  function copyStandalone(output) {
    const copy = path.join(root, `copy-${++count}`);
    fs.cpSync(path.join(output, 'standalone'), copy, { recursive: true, verbatimSymlinks: true });
    return copy;
  }

  const hasBinary = (copy) => fs.existsSync(path.join(copy, 'node_modules', BINDING, BINARY));

  it('turbopack runs without configuration, in a copy of its standalone server, too', async () => {
    const output = await build(app, { bundler: 'turbopack' });
    await assertAnswers(app);
    const copy = copyStandalone(output);
    assert.ok(hasBinary(copy));
    await assertAnswers(copy, 'server.js');
  }).timeout(SLOW);

  it('webpack runs without configuration', async () => {
    const output = await build(app, { bundler: 'webpack' });
    await assertAnswers(app);
    // The standalone server needs the line: it lacks the binary without.
    const { answers, output: said } = await ask(copyStandalone(output), ['/order'], 'server.js');
    assert.match(answers[0], /^500 /);
    assert.ok(said.includes(refusal(`its binary for ${PLATFORM} was not found.`)), said);
    assert.ok(said.includes(LINE), said);
  }).timeout(SLOW);

  for (const bundler of ['turbopack', 'webpack']) {
    it(`${bundler} runs with the package outside, in a copy, too: ${LINE}`, async () => {
      const output = await build(app, { bundler, line: LINE });
      await assertAnswers(app);
      const copy = copyStandalone(output);
      assert.ok(hasBinary(copy));
      await assertAnswers(copy, 'server.js');
    }).timeout(SLOW);
  }
});
