'use strict';

// `npm run check platforms`: builds the addon for other platforms and runs the JavaScript tests
// with their Nodes, in emulators: Linux on arm64, Linux with musl, and Windows. Names of platforms
// choose some, and paths of test files choose those. Everything is installed under target/. It ends
// with a table and, in the last line, the total "N passed, N failed"; a platform that cannot be had
// here is reported and does not fail.
//
// Emulators are slow, so only one Node runs every test. On Windows the others run the contract's
// programs, as each has another version of libuv's code for Windows. With its code for Linux all
// Nodes are tested natively.

const fs = require('node:fs');
const path = require('node:path');
const { SetupError, checkName, inTurn, printTable, report, say } = require('../setup/process');
const { buildBinaries } = require('../build');
const { runMocha } = require('../mocha');
const platforms = require('../platforms');
const { prepare } = require('../setup');
const { binaryOf } = require('../setup/packages');
const { testFiles } = require('../test-files');

const MAIN_NODE = '24';

const ORDER = ['test/loop/programs.test.js'];

// These compile C programs, and the platforms have no compiler here. Random programs take long.
const LEFT_OUT = ['host.test.js', 'nested.test.js', 'random-programs.test.js'];

// These measure the memory of processes, which in an emulator is the emulator's, too.
const WITH_MEMORY = ['gc.test.js', 'memory.test.js'];

// The first looks at files that are the same on each platform. The others need the package as npm
// installs it: Wine has no links of folders, and an emulator hides which executable runs.
const AS_INSTALLED = ['docs.test.js', 'examples.test.js', 'loading.test.js'];

// A scavenge of V8, and what it compiles in the background, wakes the loop like ready I/O: in an
// emulator often enough to change a program's order. Much space and one thread prevent both.
const FLAGS = ['--min-semi-space-size=64', '--max-semi-space-size=64', '--single-threaded'];

function filesFor({ isEmulated }) {
  const left = [...LEFT_OUT, ...AS_INSTALLED, ...(isEmulated ? WITH_MEMORY : [])];
  return testFiles().filter((file) => !left.includes(path.basename(file)));
}

async function runOn(platform, { major, version, command }, prepared, chosen) {
  const { folder, nameOf } = prepared;
  const all = major === MAIN_NODE ? filesFor(prepared) : ORDER;
  const files = chosen.length > 0 ? chosen : all;
  say(`running ${files.length} test files on ${platform} with Node ${version} …`);
  const env = {
    ...process.env,
    CI: 'true',
    TEST_NODES: major,
    TEST_NODES_FOLDER: folder,
    TEST_NODE_FLAGS: FLAGS.join(' '),
    UV_SCHEDULER_BINARY: nameOf(binaryOf(platform)),
  };
  const args = ['--timeout', '300000', ...files];
  const counts = await runMocha({ command, env, args, nameOf });
  return { platform, version, files: files.length, ...counts };
}

// Runs the tests of a platform. Returns a row of the table for each Node.
async function runPlatform(platform, chosen) {
  let prepared;
  try {
    if (!fs.existsSync(binaryOf(platform))) throw new SetupError('It was not built; see above.');
    prepared = await platforms.prepare(platform);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    report(error);
    return [{ platform, trouble: error.message.split('\n')[0] }];
  }
  const isOnWindows = platform.startsWith('win32-');
  const nodes = prepared.nodes.filter(({ major }) => isOnWindows || major === MAIN_NODE);
  return inTurn(nodes, (node) => runOn(platform, node, prepared, chosen));
}

function cellsOf({ platform, trouble, version, files, passed, failed }) {
  if (trouble) return [platform, { content: `not run: ${trouble}`, colSpan: 4 }];
  return [platform, version, files, passed, failed];
}

module.exports = async (args) => {
  const chosen = args.filter((name) => name.endsWith('.test.js'));
  const named = args.filter((name) => !chosen.includes(name));
  for (const name of named) checkName('platform', name, platforms.names);
  const names = named.length > 0 ? named : platforms.names;
  await prepare({ needAddon: false });
  await buildBinaries(names);
  const rows = (await inTurn(names, (name) => runPlatform(name, chosen))).flat();
  printTable(['platform', 'Node', 'files', 'passed', 'failed'], rows.map(cellsOf));
  const sum = (key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
};
