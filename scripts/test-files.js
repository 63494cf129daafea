'use strict';

// Lists mocha's tests: the files of each room of test/, and in groups those with third-party
// programs.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ROOT } = require('./setup/process');

// What is no room: programs that tests run, what the tests need. Some have tests of their own.
const OTHERS = ['README.md', 'ecosystem', 'fixtures', 'helpers', 'nodes', 'portable'];

const toPaths = (names) => names.map((name) => `test/${name}.test.js`);

// For these it does not matter which Node runs mocha. They look at files, run on the oldest and the
// newest Node anyway, or test the container.
const OF_FILES = toPaths([
  'bench/equals', 'bench/harness', 'bench/options', 'bench/overload', 'docs/contributing',
  'docs/docs', 'docs/examples', 'docs/watching', 'loop/idle-container', 'loading/addon',
  'loading/declarations', 'loading/stamp', 'loading/units-and-names',
]);

// These start programs on each Node, and test nothing in mocha's own process.
const OF_PROGRAMS = toPaths([
  'docs/docs-site', 'docs/watching-programs', 'loading/host', 'loop/event-loop', 'loop/exceptions',
  'loop/exit', 'loop/nested', 'loop/programs', 'loop/random-programs', 'loop/two-pages',
  'loop/worker', 'tasks/contexts', 'tasks/shutdown',
]);

// These take longest. They begin first, so that no process of mocha is left alone with them.
const LONGEST = toPaths([
  'docs/examples', 'tasks/memory', 'loop/idle-container', 'integrations/react/react-ended',
  'tasks/gc', 'watch/slow-tasks', 'loop/event-loop', 'loop/exit',
]);

// The tests with third-party programs that take longest, in the order in which they begin. Those of
// BullMQ wait most of the time, for locks to expire or for Redis to come back, and leave the
// processors to others.
const ECOSYSTEM = toPaths([
  'ecosystem/examples', 'ecosystem/next', 'ecosystem/bullmq-faults', 'ecosystem/types',
  'ecosystem/meta-frameworks', 'ecosystem/bullmq', 'ecosystem/sites', 'ecosystem/bullmq-give-backs',
  'ecosystem/shop', 'ecosystem/overload', 'ecosystem/bullmq-features', 'ecosystem/runners',
  'ecosystem/bundlers', 'ecosystem/bullmq-stop', 'ecosystem/servers',
]);

// These measure what they get of a processor. They run after the others, and wait most of the time.
const MEASURING = toPaths(['ecosystem/idle', 'ecosystem/fleet', 'ecosystem/under-pressure']);

// The files that another Node has to run once `npm test` has passed, and has run programs on that
// Node, or has not.
function filesOfMatrix({ hasRun }) {
  return testFiles().filter((file) => {
    return !OF_FILES.includes(file) && !(hasRun && OF_PROGRAMS.includes(file));
  });
}

// The rooms whose files run in mocha's own process, as a rule.
const QUICK_ROOMS = ['browser', 'signals', 'tasks', 'watch', 'webidl'];

// The files that take half a minute together.
function quickFiles() {
  return testFiles().filter((file) => {
    const [, room] = file.split('/');
    const isSlow = LONGEST.includes(file) || OF_PROGRAMS.includes(file);
    return QUICK_ROOMS.includes(room) && !isSlow;
  });
}

// The rooms whose guarantees the portable host keeps.
const PORTABLE_ROOMS = ['signals', 'tasks', 'webidl'];

// The files that run on the portable host with Node: those of its own, and quick ones.
function portableFiles() {
  const quick = quickFiles().filter((file) => PORTABLE_ROOMS.includes(file.split('/')[1]));
  return [...filesIn('portable').sort(), ...quick];
}

// These start programs with the runtime that runs them.
const OF_RUNTIMES = toPaths([
  'loop/exit', 'loop/worker', 'ecosystem/runtimes/bullmq', 'ecosystem/runtimes/hono',
]);

// The files that run on Bun and Deno.
const runtimeFiles = () => [...portableFiles(), ...OF_RUNTIMES];

const isTest = (name) => name.endsWith('.test.js');

// Sorts files: those of a list come first, in its order.
function withFirst(list, files) {
  const rank = (file) => (list.indexOf(file) + list.length + 1) % (list.length + 1);
  return files.sort().sort((one, other) => rank(one) - rank(other));
}

// Paths from the root folder, with slashes on each platform.
function filesIn(room) {
  const names = fs.readdirSync(path.join(ROOT, 'test', room), { recursive: true });
  return names.filter(isTest).map((name) => `test/${room}/${name.split(path.sep).join('/')}`);
}

function testFiles() {
  const entries = fs.readdirSync(path.join(ROOT, 'test'), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory() && !OTHERS.includes(entry.name));
  return withFirst(LONGEST, rooms.flatMap(({ name }) => filesIn(name)));
}

// The tests with third-party programs, in groups that run one after the other. Of the files of a
// group `jobs` run at once: one more than there are processors, as some wait at any time.
function ecosystemGroups() {
  const names = fs.readdirSync(path.join(ROOT, 'test', 'ecosystem')).filter(isTest);
  const others = names.map((name) => `test/ecosystem/${name}`)
    .filter((file) => !MEASURING.includes(file));
  const jobs = os.availableParallelism();
  return [{ files: withFirst(ECOSYSTEM, others), jobs: jobs + 1 }, { files: MEASURING, jobs }];
}

module.exports = {
  ecosystemGroups, filesOfMatrix, portableFiles, quickFiles, runtimeFiles, testFiles,
};
