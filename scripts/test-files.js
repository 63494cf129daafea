'use strict';

// Chooses among mocha's tests: the files of each room of test/, and those with third-party
// programs. A file says by words at the end of its opening comment what is special about it, as in
// `// @lane waiting` or `// @host programs each-node`.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./setup/process');

// The words of a lane choose the time at which a file runs, and those of a host the Nodes and other
// hosts on which the file runs.
const WORDS = {
  lane: {
    slow: 'It takes long, so it begins first, and --quick leaves it out.',
    waiting: 'It mostly waits, so it runs beside those that compute, with few others at a time.',
    whole: '`npm test` leaves it to `.ci/run`.',
    long: '`npm test -- --long` alone runs it.',
    measuring: 'The same, when all others have ended: it measures what it gets of a processor.',
  },
  host: {
    any: 'It does not matter which Node runs mocha: it looks at files, or tests a container.',
    programs: 'It tests nothing in the process of mocha, but programs that it starts on each Node.',
    'each-node': 'It depends on what differs between Nodes, so those in the middle run it, too.',
    newest: 'It depends on third-party programs, so `--newest` runs it with the newest of them.',
    faulty: '`--newest` runs it with a Node whose `request.signal` is faulty.',
    portable: 'It runs on the portable host, too, as do the rooms of what that host guarantees.',
    runtimes: 'It starts programs with the runtime that runs it, so Bun and Deno run it, too.',
    node: 'Bun and Deno cannot load it.',
  },
};

// The lines in front of the first one that is code.
const HEAD = /^(?:(?:\/\/.*|\/\*.*\*\/|'use strict';)?\n)*/;
const TAG = /^\/\/ @(\w+)((?: [\w-]+)+)$/gm;

// The words of a file, a set. Throws if one is unknown.
function wordsIn(text, file) {
  const words = new Set();
  for (const [line, kind, list] of HEAD.exec(text)[0].matchAll(TAG)) {
    for (const word of list.trim().split(' ')) {
      if (!Object.hasOwn(WORDS[kind] ?? {}, word)) {
        throw new Error(`${file}: ${line} has a word that scripts/test-files.js does not explain`);
      }
      words.add(word);
    }
  }
  return words;
}

const known = new Map();

function wordsOf(file) {
  if (!known.has(file)) {
    known.set(file, wordsIn(fs.readFileSync(path.join(ROOT, file), 'utf8'), file));
  }
  return known.get(file);
}

// Whether a file has one of these words, and the opposite.
const has = (...words) => (file) => words.some((word) => wordsOf(file).has(word));
const hasNone = (...words) => (file) => !has(...words)(file);

const roomOf = (file) => file.split('/')[1];
const isIn = (rooms) => (file) => rooms.includes(roomOf(file));

// The folders that are no rooms hold programs that tests run. Some have tests of their own.
const OTHERS = ['README.md', 'ecosystem', 'fixtures', 'helpers', 'nodes', 'portable'];

// The rooms whose tests run with the newest patch of each Node.
const OF_NEWEST_NODES = ['integrations', 'loop', 'signals', 'tasks', 'watch'];

// These rooms run on the oldest and newest Node only. The others test on each Node what these use.
const OF_ENDS = ['docs', 'integrations'];

// The rooms whose files run in mocha's own process, as a rule.
const QUICK_ROOMS = ['browser', 'signals', 'tasks', 'watch', 'webidl'];

// The rooms whose guarantees the portable host keeps.
const PORTABLE_ROOMS = ['signals', 'tasks', 'webidl'];

const isTest = (name) => name.endsWith('.test.js');

// Paths from the root folder, with slashes on each platform.
function filesIn(room, options) {
  const names = fs.readdirSync(path.join(ROOT, 'test', room), options);
  return names.filter(isTest).map((name) => `test/${room}/${name.split(path.sep).join('/')}`);
}

// Those that begin first stand in front, so that no process of mocha is left alone with them.
function inOrder(files) {
  const sorted = files.toSorted();
  return [...sorted.filter(has('slow')), ...sorted.filter(hasNone('slow'))];
}

function testFiles() {
  const entries = fs.readdirSync(path.join(ROOT, 'test'), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory() && !OTHERS.includes(entry.name));
  return inOrder(rooms.flatMap(({ name }) => filesIn(name, { recursive: true })));
}

// Those that `.ci/run` runs, and if it `isShort`, `npm test`.
const usualFiles = ({ isShort = false } = {}) =>
  testFiles().filter(hasNone('long', 'measuring', ...(isShort ? ['whole'] : [])));

// Of those, the ones that compute, and the ones that wait.
const computingFiles = (options) => usualFiles(options).filter(hasNone('waiting'));
const waitingFiles = (options) => usualFiles(options).filter(has('waiting'));

const longFiles = () => testFiles().filter(has('long'));

// The files that take half a minute together.
function quickFiles() {
  const isQuick = hasNone('slow', 'waiting', 'long', 'programs');
  return testFiles().filter((file) => isIn(QUICK_ROOMS)(file) && isQuick(file));
}

// The files that another Node has to run once `npm test` has passed. Those at the ends, the
// oldest and the newest, have run the programs already.
function filesOfMatrix({ isEnd }) {
  const isLeft = isEnd ? hasNone('programs') : has('each-node');
  return usualFiles().filter(hasNone('any')).filter(isLeft);
}

// The files that filesOfMatrix() leaves to `npm test -- --long`.
function filesOfLongMatrix({ isEnd }) {
  if (isEnd) return longFiles();
  return usualFiles().filter(hasNone('any', 'each-node')).filter((file) => !isIn(OF_ENDS)(file));
}

const filesOfNewestNodes = () => testFiles().filter(isIn(OF_NEWEST_NODES)).filter(hasNone('any'));

// The files that run on the portable host with Node: those of its own, and quick ones.
function portableFiles() {
  const others = quickFiles().filter((file) => isIn(PORTABLE_ROOMS)(file) || has('portable')(file));
  return [...filesIn('portable').toSorted(), ...others];
}

// The tests with third-party programs that a command with this word runs, or those of continuous
// integration, but for those that wait.
function ecosystemFiles(word) {
  const isWanted = word === undefined ? hasNone('long', 'measuring', 'waiting') : has(word);
  return inOrder(filesIn('ecosystem').filter(isWanted));
}

const filesOfFaultyNode = () => [...testFiles(), ...filesIn('ecosystem')].filter(has('faulty'));

// The files that run on Bun and Deno.
function runtimeFiles() {
  const ofEcosystem = [...filesIn('ecosystem'), ...filesIn('ecosystem/runtimes')];
  const programs = [...testFiles(), ...ofEcosystem].filter(has('runtimes'));
  return [...portableFiles(), ...programs].filter(hasNone('node'));
}

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

module.exports = {
  WORDS, computingFiles, ecosystemFiles, filesOfFaultyNode, filesOfLongMatrix, filesOfMatrix,
  filesOfNewestNodes, longFiles, needsNodes, portableFiles, quickFiles, runtimeFiles, testFiles,
  waitingFiles, wordsIn, wordsOf,
};
