'use strict';

// The documentation site of examples/: what it does for visitors who leave, and when it is ended.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { withFolder } = require('../helpers/folders.js');
const { FIXTURES, LIMIT, assertOnEachNode, run } = require('../helpers/loop.js');

const SITE = path.join(__dirname, '../../examples/docs-site/main.js');
const VISITOR = path.join(FIXTURES, 'docs-site-visitor.js');

// Long ones, which are found on every machine: together they take some 50 ms.
const PAGES = ['fast-check/README.md', 'highlight.js/README.md', 'autocannon/README.md'];

// Starts the site with --serve. Returns the process, its address and what it prints.
async function serve(node, ...more) {
  const args = [SITE, '--serve', ...more];
  const child = spawn(node.path, args, { timeout: LIMIT, killSignal: 'SIGKILL' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
  }
  const ended = once(child, 'close');
  while (!output.stdout.includes('\n')) {
    await Promise.race([once(child.stdout, 'data'), ended.then(() => assert.fail(output.stderr))]);
  }
  const [url] = /http:[^ ]+(?=\/ )/.exec(output.stdout);
  return { child, ended, output, url };
}

async function textOf(response) {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}

async function get(url, agent) {
  const [response] = await once(http.get(url, { agent }), 'response');
  assert.equal(response.statusCode, 200, url);
  return textOf(response);
}

// The lanes of a trace in which a page has slices, but that of background work.
function lanesOf(page, file) {
  const events = JSON.parse(fs.readFileSync(file, 'utf8'));
  const lanes = new Map(events.filter(({ name }) => name === 'thread_name')
    .map(({ tid, args }) => [tid, args.name]));
  const slices = events.filter(({ ph, name }) => ph === 'X' && name.includes(page));
  const names = new Set(slices.map(({ tid }) => lanes.get(tid)));
  return [...names].filter((lane) => lane !== 'background').sort();
}

// Traces the site, watches /scheduler, asks for pages, and sends SIGTERM when the server has read
// all requests. Returns what came of them, how the server ended, and what a later request met.
async function endWhileAnswering(node, trace) {
  const { child, ended, output, url } = await serve(node, '--trace', trace);
  const [watched] = await once(http.get(`${url}/scheduler/events`), 'response');
  const agent = new http.Agent({ keepAlive: true });
  const check = () => get(`${url}/health`, agent);
  // Opens the connections; that of the last check stays idle.
  await Promise.all(Array.from({ length: PAGES.length + 1 }, check));
  const pages = PAGES.map((page) => get(`${url}/docs/${page}`, agent));
  await check();
  child.kill('SIGTERM');
  const isComplete = (await Promise.all(pages)).map((text) => text.endsWith('</html>'));
  // Fails if the connection is reset.
  const hasEvent = /^data: {/m.test(await textOf(watched));
  const [code] = await ended;
  agent.destroy();
  const later = await get(`${url}/health`).catch((error) => error.code);
  const report = /^Ended by .*/m.exec(output.stdout)?.[0].replace(/\d+/g, 'some');
  return { isComplete, type: watched.headers['content-type'], hasEvent, code, later, report,
    lanes: lanesOf(PAGES[0], trace), stderr: output.stderr };
}

describe('the documentation site', () => {
  it('answers what it has accepted, watchers too, when SIGTERM comes, and ends', async () => {
    const expected = {
      isComplete: PAGES.map(() => true),
      type: 'text/event-stream',
      hasEvent: true,
      code: 0,
      later: 'ECONNREFUSED',
      report: 'Ended by SIGTERM: some tasks of pages finished, some of the index rebuild dropped',
      lanes: ['user-blocking', 'user-visible'],
      stderr: '',
    };
    await assertOnEachNode(expected, (node) => withFolder((folder) => {
      return endWhileAnswering(node, path.join(folder, 'trace.json'));
    }));
  }).timeout(4 * LIMIT);

  it('says so at once if the file of --trace cannot be opened', async () => {
    const file = path.join(FIXTURES, 'missing', 'trace.json');
    const { code, stdout, stderr } = await run({ path: process.execPath }, [SITE, '--trace', file]);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, /^docs-site: ENOENT: .*missing/);
  }).timeout(LIMIT);

  for (const [title, more, rendered] of [
    ['renders no more for a visitor who has left', [], 'less than half'],
    ['renders it all if nothing is aborted', ['no-abort'], 'all'],
  ]) {
    it(title, async () => {
      const expected = { code: 0, rendered, pagesLeft: 1, stderr: '' };
      await assertOnEachNode(expected, async (node) => {
        const { code, stdout, stderr } = await run(node, [VISITOR, ...more]);
        const { all, untilLeft, pagesLeft } = JSON.parse(stdout);
        const part = untilLeft === all ? 'all' : untilLeft < all / 2 && 'less than half';
        return { code, rendered: part, pagesLeft, stderr };
      });
    }).timeout(4 * LIMIT);
  }
});
