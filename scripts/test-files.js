'use strict';

// Lists mocha's tests: the files of each room of test/, without those with third-party programs.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./setup/process');

// Programs that tests run, and what the tests need. Some have tests of their own in them.
const OTHERS = ['ecosystem', 'fixtures', 'helpers', 'nodes'];

// What these test is the same whichever Node runs mocha: `npm test` starts their programs on every
// Node, or they look at files.
const FOR_ANY_NODE = [
  'docs/docs-site',
  'docs/docs',
  'docs/observability',
  'docs/watching-guide',
  'loading/addon',
  'loading/declarations',
  'loading/host',
  'loading/stamp',
  'loop/event-loop',
  'loop/exceptions',
  'loop/exit',
  'loop/nested',
  'loop/programs',
  'loop/random-programs',
  'loop/worker',
  'tasks/contexts',
  'tasks/shutdown',
].map((name) => `test/${name}.test.js`);

// The files that another Node has to run once `npm test` has passed.
function filesOfMatrix() {
  return testFiles().filter((file) => !FOR_ANY_NODE.includes(file));
}

// Paths from the root folder, with slashes on each platform.
function testFiles() {
  const tests = path.join(ROOT, 'test');
  const rooms = fs.readdirSync(tests).filter((name) => !OTHERS.includes(name));
  const files = rooms.flatMap((room) => {
    const names = fs.readdirSync(path.join(tests, room), { recursive: true });
    return names.filter((name) => name.endsWith('.test.js')).map((name) => [room, name]);
  });
  const toPath = ([room, name]) => `test/${room}/${name.split(path.sep).join('/')}`;
  return files.map(toPath).sort();
}

module.exports = { filesOfMatrix, testFiles };
