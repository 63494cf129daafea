'use strict';

// Programs that bundlers have made, with the package inside them or beside them. Each is built from
// the package as npm installs it, and run.
// @lane slow

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { withFolder } = require('../helpers/folders.js');
const { LIMIT, assertOnEnds, nodes, run } = require('../helpers/loop.js');
const { EXTERNAL } = require('../../lib/loading/load-errors.js');
const { CODE, warning } = require('../helpers/refusals.js');
const { BUNDLERS, copyPrograms, nodeFileTrace } = require('./bundlers');
const { showInPage } = require('../helpers/chromium.js');
const { BINARY, BINDING, install } = require('../helpers/packed.js');

const EXTENSIONS = { cjs: 'cjs', esm: 'mjs' };
// In bytes, without a minifier: the package's part, the component and what a bundler adds.
const MAX_BUNDLE = 24_000;

const RIGHT = { code: 0, signal: null, stdout: 'ub t0 uv bg\n', stderr: '' };

describe('a bundle made by', () => {
  let folder;
  const built = new Map();

  before(() => {
    // The paths in the output of a bundler are without symbolic links.
    folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-bundles-')));
    install(folder);
    copyPrograms(folder);
  });

  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  // Builds a program once, in a folder near node_modules. Returns the path of the bundle.
  async function build(bundler, { format, external, isForPage, source = 'program.mjs' }) {
    const key = [bundler.name, format, external, isForPage, source].join();
    if (built.has(key)) return built.get(key);
    const file = path.join(folder, `out-${built.size}`, `main.${EXTENSIONS[format]}`);
    const entry = path.join(folder, source);
    await bundler.build({ entry, file, format, external, isForPage });
    built.set(key, file);
    return file;
  }

  const isInside = (file) => fs.readFileSync(file, 'utf8').includes('uv-scheduler.binding');

  // Asserts that a program runs from any working directory.
  const assertRuns = (file, expected = RIGHT) =>
    assertOnEnds(expected, (node) => run(node, [file], { cwd: '/' }));

  // Calls `work` with the path of the copy of a bundle in a folder without node_modules.
  const withCopy = (file, work) => withFolder(async (target) => {
    const copy = path.join(target, path.basename(file));
    fs.copyFileSync(file, copy);
    await work(copy);
  });

  const test = (title, body) => it(title, body).timeout(4 * LIMIT);

  for (const bundler of BUNDLERS) {
    const { name, formats, line, takesIn = true, copies = false } = bundler;
    for (const format of formats) {
      const title = `${name} (${format})`;

      test(`${title} runs without configuration`, async () => {
        for (const source of ['program.mjs', 'program.cjs']) {
          const file = await build(bundler, { format, source });
          assert.equal(isInside(file), takesIn, `${file} from ${source}`);
          await assertRuns(file);
        }
      });

      test(`${title} has a monitor, and a report that names a function of the bundle`, async () => {
        const file = await build(bundler, { format, source: 'watched.mjs' });
        await assertRuns(file, { ...RIGHT, stdout: 'planted true 1\n' });
      });

      test(`${title} runs with the package outside: ${EXTERNAL[line]}`, async () => {
        const file = await build(bundler, { format, external: EXTERNAL[line] });
        assert.equal(isInside(file), false);
        await assertRuns(file);
      });

      if (!takesIn) continue;
      test(`${title}, copied alone, warns of what it lacks, and runs beside it`, async () => {
        await withCopy(await build(bundler, { format }), async (copy) => {
          const warned = warning('it was not found.\nA bundler has moved ', BINARY);
          await assertOnEnds([0, 'bg t0 ub uv'], async (node) => {
            const { code, stdout, stderr } = await run(node, [copy]);
            for (const text of [warned, ...Object.values(EXTERNAL)]) {
              assert.ok(stderr.includes(text), stderr);
            }
            return [code, stdout.trim().split(' ').toSorted().join(' ')];
          });
          const binary = path.join(folder, 'node_modules', BINDING, BINARY);
          fs.copyFileSync(binary, path.join(path.dirname(copy), BINARY));
          await assertRuns(copy);
        });
      });

      if (!copies) continue;
      test(`${title} runs where its whole folder was copied`, async () => {
        const file = await build(bundler, { format });
        await withCopy(file, async (copy) => {
          fs.cpSync(path.dirname(file), path.dirname(copy), { recursive: true });
          await assertRuns(copy);
        });
      });
    }
  }

  const ofPages = BUNDLERS.filter(({ name }) => name !== 'Vite with ssr.noExternal');
  for (const bundler of ofPages) {
    // Vite takes CommonJS modules only of packages.
    const sources = bundler.name === 'Vite' ? ['page.mjs'] : ['page.mjs', 'page.cjs'];

    test(`${bundler.name} shares a component, for pages with the browser's scheduler`, async () => {
      const shown = { text: '<li>0</li><li>1</li><li>2</li>', refusal: CODE };
      for (const source of sources) {
        const server = await build(bundler, { format: 'esm', source });
        const printed = { code: 0, signal: null, stdout: `${JSON.stringify(shown)}\n`, stderr: '' };
        const expected = { ...printed, stdout: printed.stdout.replace(CODE, 'none') };
        await assertOnEnds(expected, (node) => run(node, [server]), { on: [nodes.at(-1)] });

        const file = await build(bundler, { format: 'esm', isForPage: true, source });
        const text = fs.readFileSync(file, 'utf8');
        assert.ok(!text.includes(folder), 'has paths of this machine');
        assert.ok(text.length < MAX_BUNDLE, `${text.length} bytes`);
        assert.deepEqual(await showInPage(text), shown, source);
      }
    });
  }

  test('@vercel/nft, which lists what a program loads, lists the binary', async () => {
    for (const source of ['program.mjs', 'program.cjs']) {
      const { fileList } = await nodeFileTrace([path.join(folder, source)], { base: folder });
      assert.ok(fileList.has(path.join('node_modules', BINDING, BINARY)), [...fileList].join());
      await withFolder(async (target) => {
        for (const name of fileList) fs.cpSync(path.join(folder, name), path.join(target, name));
        await assertRuns(path.join(target, source));
      });
    }
  });
});
