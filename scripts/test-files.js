'use strict';

// Lists mocha's tests: the files of each room of test/, and those with third-party programs.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./setup/process');

// The folders that are no rooms hold programs that tests run. Some have tests of their own.
const OTHERS = ['README.md', 'ecosystem', 'fixtures', 'helpers', 'nodes', 'portable'];

const toPaths = (names) => names.map((name) => `test/${name}.test.js`);

// For these it does not matter which Node runs mocha. They look at files, run on the oldest and the
// newest Node anyway, or test the container.
const OF_FILES = toPaths([
  'bench/equals', 'bench/harness', 'bench/overload', 'bench/papers', 'docs/contributing',
  'docs/docs', 'docs/examples', 'docs/watching', 'loading/addon', 'loading/declarations',
  'loading/stamp', 'loading/units-and-names', 'loop/idle-container', 'mutants/mutants',
]);

// These start programs on each Node, and test nothing in mocha's own process.
const OF_PROGRAMS = toPaths([
  'docs/watching-programs', 'loading/host', 'loading/off', 'loop/event-loop', 'loop/exceptions',
  'loop/exit', 'loop/nested', 'loop/programs', 'loop/random-programs',
  'loop/two-pages', 'loop/worker', 'tasks/contexts', 'tasks/off',
  'watch/report-flag', 'watch/stuck',
]);

// These take longest. They begin first, so that no process of mocha is left alone with them.
const LONGEST = toPaths([
  'docs/examples', 'integrations/react/react-ended', 'tasks/gc', 'loop/event-loop',
  'loop/exceptions', 'loop/random-programs',
]);

// These mostly wait: for a thread that hangs to be reported, or a program to end. They run beside
// those that compute, one after the other.
const WAITING = toPaths([
  'watch/report-flag', 'watch/stuck', 'watch/slow-tasks', 'loop/idle-container', 'loop/exit',
  'loop/worker', 'watch/slow-history', 'docs/watching-programs',
]);

// The tests of a quota, and the room of the benchmarks. `npm test` leaves these to `.ci/run`.
const BESIDE = toPaths(['loop/idle-container']);
const isBeside = (file) => roomOf(file) === 'bench' || BESIDE.includes(file);

// Memory over many items, and overload, which `npm test` leaves to a command of its own.
const LONG = toPaths(['tasks/memory', 'bench/equals', 'integrations/http/admission-overload']);

// The tests with third-party programs that take longest, in the order in which they begin.
const ECOSYSTEM = toPaths([
  'ecosystem/examples', 'ecosystem/types', 'ecosystem/shop', 'ecosystem/bundlers',
  'ecosystem/package-managers', 'ecosystem/runners',
]);

// These mostly wait, for locks to expire or for Redis, and leave the processors to others.
const OF_BULLMQ = toPaths([
  'ecosystem/bullmq', 'ecosystem/bullmq-servers', 'ecosystem/bullmq-scenarios',
]);

// These build an application for each of their tests, run a benchmark, or load sites and pages of
// each framework. They have a command of their own, and a machine of their own in the workflow.
const BUILDS = toPaths([
  'ecosystem/sites', 'ecosystem/examples-next', 'ecosystem/next', 'ecosystem/meta-frameworks',
  'ecosystem/benches', 'ecosystem/abandoned-pages',
]);

// The ways to preload register and to build an executable, which each Node has for itself.
const OF_EACH_NODE = toPaths(['ecosystem/processes']);

// These measure what they get of a processor, so they run after the others of the same command.
const MEASURING = toPaths(['ecosystem/idle', 'ecosystem/fleet', 'ecosystem/under-pressure']);

// The rooms whose tests run with the newest patch of each Node.
const OF_NEWEST_NODES = ['integrations', 'loop', 'signals', 'tasks', 'watch'];

function filesOfNewestNodes() {
  const isSensitive = (file) => OF_NEWEST_NODES.includes(roomOf(file)) && !OF_FILES.includes(file);
  return testFiles().filter(isSensitive);
}

// The tests with third-party programs that run with the newest of these.
const OF_NEWEST = toPaths([
  'ecosystem/bullmq', 'ecosystem/bullmq-servers', 'ecosystem/clients', 'ecosystem/next',
  'ecosystem/servers', 'ecosystem/shop', 'ecosystem/sites',
]);

// The tests of what a Node with a faulty `request.signal` could break.
const OF_REQUEST_SIGNALS = toPaths(['integrations/http/http', 'ecosystem/servers']);

const roomOf = (file) => file.split('/')[1];

// These depend on the host that Node is: its loop, its addons, its promises and contexts, what is
// undocumented of it, and its servers. All rooms run on the oldest and the newest Node, and the
// Nodes between them run these.
const OF_HOST = ['loop', ...toPaths([
  'integrations/http/http', 'integrations/http/shut-down', 'loading/host', 'loading/loading',
  'loading/off', 'loading/undocumented', 'tasks/async-context', 'tasks/contexts',
  'tasks/idle-callbacks', 'watch/slow-history',
])];

const isOfHost = (file) => OF_HOST.includes(roomOf(file)) || OF_HOST.includes(file);

// The files that another Node has to run once `npm test` has passed. Those at the ends, the
// oldest and the newest, have run the programs already.
function filesOfMatrix({ isEnd }) {
  const isOut = isEnd ? (file) => OF_PROGRAMS.includes(file) : (file) => !isOfHost(file);
  return usualFiles().filter((file) => !OF_FILES.includes(file) && !isOut(file));
}

// These rooms run on the oldest and newest Node only. The others test on each Node what these use.
const OF_ENDS = ['docs', 'integrations'];

// The files that filesOfMatrix() leaves to `npm test -- --long`.
function filesOfLongMatrix({ isEnd }) {
  if (isEnd) return LONG;
  const isLeft = (file) => !isOfHost(file) && !OF_ENDS.includes(roomOf(file));
  return usualFiles().filter((file) => !OF_FILES.includes(file) && isLeft(file));
}

// The rooms whose files run in mocha's own process, as a rule.
const QUICK_ROOMS = ['browser', 'signals', 'tasks', 'watch', 'webidl'];

// The files that take half a minute together.
function quickFiles() {
  const slow = [...LONGEST, ...WAITING, ...LONG, ...OF_PROGRAMS];
  return testFiles().filter((file) => QUICK_ROOMS.includes(roomOf(file)) && !slow.includes(file));
}

// The rooms whose guarantees the portable host keeps.
const PORTABLE_ROOMS = ['signals', 'tasks', 'webidl'];

// The tests of watching that need neither an idle time of the loop nor nested loops, which the
// portable host does not have everywhere.
const OF_WATCHING = toPaths([
  'watch/channels', 'watch/channels-subscribers', 'watch/keys', 'watch/longest',
  'watch/shared-tasks', 'watch/task-monitor-held', 'watch/task-times', 'watch/trace-file',
  'watch/waiting-entries', 'watch/watching',
]);

// The files that run on the portable host with Node: those of its own, and quick ones.
function portableFiles() {
  const quick = quickFiles().filter((file) => PORTABLE_ROOMS.includes(roomOf(file)));
  return [...filesIn('portable').sort(), ...quick, ...OF_WATCHING];
}

// These start programs with the runtime that runs them.
const OF_RUNTIMES = toPaths([
  'docs/examples', 'docs/watching-programs', 'loop/exit', 'loop/worker', 'tasks/off',
  'ecosystem/runtimes/bullmq', 'ecosystem/runtimes/hono',
]);

// The files that run on Bun and Deno.
const runtimeFiles = () => [...portableFiles(), ...OF_RUNTIMES];

const isTest = (name) => name.endsWith('.test.js');

const TEST = path.join(ROOT, 'test');
const NODES = path.join(TEST, 'nodes');

// Whether a file of test/, or a file there that it requires, loads the Nodes of other versions.
function needsNodes(file, seen = new Set()) {
  const place = path.resolve(ROOT, file);
  const found = [place, `${place}.js`, path.join(place, 'index.js')]
    .find((each) => fs.statSync(each, { throwIfNoEntry: false })?.isFile());
  if (found === undefined || !found.startsWith(TEST) || seen.has(found)) return false;
  if (found.startsWith(NODES)) return true;
  seen.add(found);
  // Some are in the texts of programs, and lead nowhere.
  const required = fs.readFileSync(found, 'utf8').matchAll(/\brequire\('(\.[^']+)'\)/g);
  const places = Array.from(required, ([, name]) => path.resolve(path.dirname(found), name));
  return places.some((each) => needsNodes(each, seen));
}

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

// Those that `.ci/run` runs, and if it `isShort`, `npm test`.
const usualFiles = ({ isShort = false } = {}) =>
  testFiles().filter((file) => !LONG.includes(file) && !(isShort && isBeside(file)));

// Of those, the ones that compute, and the ones that wait.
const computingFiles = (options) => usualFiles(options).filter((file) => !WAITING.includes(file));
const waitingFiles = (options) => {
  const files = usualFiles(options);
  return WAITING.filter((file) => files.includes(file));
};

// The tests with third-party programs that continuous integration runs, but for those of BullMQ.
function ecosystemFiles() {
  const others = [...BUILDS, ...MEASURING, ...OF_BULLMQ];
  const names = fs.readdirSync(path.join(ROOT, 'test', 'ecosystem')).filter(isTest);
  const files = names.map((name) => `test/ecosystem/${name}`);
  return withFirst(ECOSYSTEM, files.filter((file) => !others.includes(file)));
}

module.exports = {
  BUILDS, LONG, MEASURING, OF_BULLMQ, OF_EACH_NODE, OF_NEWEST, OF_REQUEST_SIGNALS, computingFiles,
  ecosystemFiles, filesOfLongMatrix, filesOfMatrix, filesOfNewestNodes, needsNodes, portableFiles,
  quickFiles, runtimeFiles, testFiles, waitingFiles,
};
