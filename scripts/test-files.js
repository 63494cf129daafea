'use strict';

// Lists mocha's tests: the files of each room of test/, and in groups those with third-party
// programs.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT } = require('./setup/process');

// Programs that tests run, and what the tests need. Some have tests of their own in them.
const OTHERS = ['ecosystem', 'fixtures', 'helpers', 'nodes'];

const toPaths = (names) => names.map((name) => `test/${name}.test.js`);

// These look at files, so it does not matter which Node runs them.
const OF_FILES = toPaths([
  'docs/docs',
  'docs/observability',
  'loading/addon',
  'loading/declarations',
  'loading/stamp',
]);

// These start programs on each Node, and test nothing in mocha's own process.
const OF_PROGRAMS = toPaths([
  'docs/docs-site',
  'docs/watching-guide',
  'loading/host',
  'loop/event-loop',
  'loop/exceptions',
  'loop/exit',
  'loop/nested',
  'loop/programs',
  'loop/random-programs',
  'loop/worker',
  'tasks/contexts',
  'tasks/shutdown',
]);

// These take longest. They begin first, so that no process of mocha is left alone with them.
const LONGEST = toPaths([
  'docs/examples',
  'tasks/memory',
  'loop/idle-container',
  'integrations/react/react-ended',
  'tasks/gc',
  'watch/slow-tasks',
  'loop/event-loop',
  'loop/exit',
]);

// Of the tests with third-party programs, those that need the processor longest.
const BUSY = [
  'examples',
  'types',
  'next',
  'sites',
  'meta-frameworks',
  'overload',
  'runners',
  'servers',
  'bundlers',
  'package-managers',
];

// These wait most of the time: for Redis, for locks to expire, or until a quota has room again. The
// first ones measure what they share the processor with, so nothing beside them may need it much.
const WAITING = [
  'idle',
  'bullmq-faults',
  'fleet',
  'bullmq-give-backs',
  'bullmq',
  'bullmq-features',
  'bullmq-scenarios',
  'under-pressure',
  'bullmq-stop',
  'bullmq-metrics',
];

// The files that another Node has to run once `npm test` has passed, and has run programs on that
// Node, or has not.
function filesOfMatrix({ hasRun }) {
  return testFiles().filter((file) => {
    return !OF_FILES.includes(file) && !(hasRun && OF_PROGRAMS.includes(file));
  });
}

// The rooms whose files run in mocha's own process, as a rule.
const QUICK_ROOMS = ['signals', 'tasks', 'watch', 'webidl'];

// The files that take half a minute together.
function quickFiles() {
  return testFiles().filter((file) => {
    const [, room] = file.split('/');
    const isSlow = LONGEST.includes(file) || OF_PROGRAMS.includes(file);
    return QUICK_ROOMS.includes(room) && !isSlow;
  });
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
  const rank = (file) => (LONGEST.indexOf(file) + LONGEST.length + 1) % (LONGEST.length + 1);
  return files.map(toPath).sort().sort((one, other) => rank(one) - rank(other));
}

// The tests with third-party programs, in groups that run one after the other. The files of a group
// run at once, `jobs` of them, the longest first.
function ecosystemGroups() {
  const names = fs.readdirSync(path.join(ROOT, 'test', 'ecosystem'));
  const all = names.filter((name) => name.endsWith('.test.js')).map((name) => name.split('.')[0]);
  const others = all.filter((name) => ![...BUSY, ...WAITING].includes(name));
  const toFiles = (group) => toPaths(group.map((name) => `ecosystem/${name}`));
  return [
    { files: toFiles([...BUSY, ...others]), jobs: os.availableParallelism() },
    { files: toFiles(WAITING), jobs: os.availableParallelism() + 1 },
  ];
}

module.exports = { ecosystemGroups, filesOfMatrix, quickFiles, testFiles };
