'use strict';

// `npm test`: runs set-up, then the tests of cargo and mocha, but for what test/helpers/short.js
// leaves to `.ci/run`. Its last line counts both together: "N passed, N failed"; a line before it,
// "failed: …", names each that failed. Options choose other parts, and paths choose files of
// mocha's tests. Programs run on the newest Node, and those of files that are named on the oldest,
// too; set-up installs both if a file needs them.

require('./setup/check-node');
const os = require('node:os');
const path = require('node:path');
const { prepare, prepareEcosystem } = require('./setup');
const { FAULTY, prepareFaulty, prepareNewest } = require('./setup/newest');
const { chooseBinary } = require('./setup/packages');
const {
  inTurn, readArguments, report, runBeside, runMain, say, usageError,
} = require('./setup/process');
const { chooseNodes } = require('./setup/programs');
const { judge, noCounts, runMocha, runOnNode, runOnRuntimes } = require('./mocha');
const { runMutants } = require('./mutants');
const {
  computingFiles, ecosystemFiles, filesOfFaultyNode, filesOfLongMatrix, filesOfMatrix,
  filesOfNewestNodes, longFiles, needsNodes, quickFiles, testFiles, waitingFiles,
} = require('./test-files');

const USAGE = `npm test -- [option] [FILE…] [--grep TEXT]
  --quick            those of mocha's tests that take half a minute, most in its own process
  --rust, --js       one half of npm test, with all cases
  --portable         the tests of tasks, signals and arguments on the portable host, with Node
  --runtimes         the same with Bun and Deno, which it installs
  --node MAJOR       the JavaScript tests with one supported Node, or with 'all' of them
  --ecosystem        the tests of test/ecosystem/, which install much, with the newest Node and
                     versions, but for those of --long
  --long             memory, overload, what builds applications or measures a processor, the
                     ecosystem with the oldest versions, and the rest of the Nodes
  --all              npm test with all its cases, benchmarks and quotas, with each other Node
                     what depends on it, Bun and Deno, the ecosystem, and some mutants: .ci/run
  --newest           with the newest Nodes, runtimes and frameworks of the npm registry, which it
                     installs in a copy of the checkout, the tests that are sensitive to them
  --binary PLATFORM  the JavaScript tests with the binary in npm/<platform>/, the file that is
                     published`;

// Of `npm test` as a whole, and of Nodes beside those that have run all cases.
const SHORT = { TEST_SHORT: '1' };

// The actions of a schedule of the simulated loop. One more takes seven times as long, and finds
// hardly more.
const SHORT_SIMULATION = { SIMULATION_DEPTH: '2', ...SHORT };
const SIMULATION = { SIMULATION_DEPTH: '3' };
const LONG_SIMULATION = { SIMULATION_DEPTH: '4' };

const JOBS = os.availableParallelism();

// So many of the files that wait run at once.
const WAITING_JOBS = 2;

// Every test binary, like the documentation tests, prints a line at its start and one at its end.
const CARGO_START = /^running \d+ tests?$/gm;
const CARGO_FAILURE = /^test (.+) \.\.\. FAILED$/gm;
const CARGO_RESULT = /^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/gm;

// Unoptimized builds have overflow checks and debug assertions, and share compiled crates with
// clippy. The tests take the processor time that others leave.
async function runCargo(env) {
  say('running the Rust tests (cargo test) …');
  const { PRIORITY_LOW: priority } = os.constants.priority;
  const { stdout, stderr, ...end } = await runBeside(
    'cargo', ['test', '--workspace', '--no-fail-fast'],
    { env, priority });
  process.stderr.write(stderr);
  process.stdout.write(stdout);
  const results = [...stdout.matchAll(CARGO_RESULT)];
  const sum = (at) => results.reduce((total, result) => total + Number(result[at]), 0);
  const counts = {
    passed: sum(1), failed: sum(2), skipped: sum(3),
    failures: [...stdout.matchAll(CARGO_FAILURE)].map(([, name]) => `cargo test: ${name}`),
  };
  // A test that ends its whole process with exit code 0 looks like success to cargo.
  const unfinished = [...stdout.matchAll(CARGO_START)].length - results.length;
  if (unfinished > 0) {
    say(`test binaries that ended before their last test: ${unfinished}`);
    counts.failed += unfinished;
    counts.failures.push(`cargo test: ${unfinished} test binaries ended before their last test`);
  }
  return judge('cargo test', counts, end);
}

// Runs test files with mocha. The tests of a file wait for each other, those of different files do
// not: as many files run at once as there are `jobs`. `variables` are added to the environment.
// `inCopy` is the runMocha() of a copy of the checkout. The output of what `isHeld` comes at its
// end.
function runJs({
  node = process.execPath, variables, files, grep, jobs = JOBS, what = '', isHeld,
  inCopy = runMocha,
}) {
  say(`running the JavaScript tests (mocha)${what} …`);
  const args = ['--parallel', '--jobs', String(jobs)];
  if (grep !== undefined) args.push('--grep', grep);
  const env = { ...process.env, ...variables };
  // Other files may have those with such titles.
  const hasTests = grep === undefined;
  const name = what.trim();
  return inCopy({ command: [node], env, args: [...args, ...files], name, hasTests, isHeld });
}

// The oldest and the newest Node. Set-up must install them first.
function majorsOfEnds() {
  const nodes = require('../test/nodes');
  return [nodes.at(0).major, nodes.at(-1).major];
}

function runOnEnds(files, grep, { variables, ...options } = {}) {
  const TEST_NODES = process.env.TEST_NODES ?? majorsOfEnds().join();
  return runJs({ variables: { TEST_NODES, ...variables }, files, grep, ...options });
}

// The tests of `npm test`, without cargo's: beside those that compute, at last on the portable
// host, those that wait. Programs run on the newest Node, or `onEnds`. Resolves to a list of
// counts.
async function runUsual(grep, { onEnds = false, isShort = false } = {}) {
  const [, newest] = majorsOfEnds();
  const TEST_NODES = process.env.TEST_NODES ?? String(newest);
  const short = isShort ? SHORT : {};
  const variables = onEnds ? short : { TEST_NODES, ...short };
  const compute = async () => [
    await runOnEnds(computingFiles({ isShort }), grep, { variables }),
    await runOnNode({ grep, variables: short }),
  ];
  const waiting = { variables, jobs: WAITING_JOBS, isHeld: true, what: ' that wait' };
  const lanes = [compute(), runOnEnds(waitingFiles({ isShort }), grep, waiting)];
  return (await Promise.all(lanes)).flat();
}

// Runs mocha and the programs with one Node.
function runWith({ major, version, path: node }, files, grep, more) {
  const variables = { TEST_NODES: String(major), ...more };
  return runJs({ node, variables, files, grep, what: ` with Node ${version}` });
}

// Runs with each Node that `isWanted` the files that `filesOf` returns for it. The files know by
// TEST_MATRIX on which Nodes their programs have run.
function runMatrix(grep, filesOf, { isWanted = () => true, variables } = {}) {
  const ends = majorsOfEnds();
  return inTurn(require('../test/nodes').filter(isWanted), (node) => {
    const files = filesOf({ isEnd: ends.includes(node.major) });
    return runWith(node, files, grep, { TEST_MATRIX: ends.join(), ...variables });
  });
}

// Runs the tests in mocha's own process at the other end, and those that depend on the Node between
// them, as `npm test` has not.
function runOtherNodes(grep) {
  const ownMajor = Number.parseInt(process.versions.node, 10);
  const ends = majorsOfEnds();
  const isOther = ({ major }) => major !== ownMajor || !ends.includes(major);
  return runMatrix(grep, filesOfMatrix, { isWanted: isOther, variables: SHORT });
}

// Runs with the newest versions what is sensitive to them, or the files that are named, with the
// modules of the copy in which they are installed.
async function runNewest({ files, grep }) {
  await prepare();
  const copy = await prepareNewest();
  const load = (...names) => require(path.join(copy, ...names));
  await load('scripts', 'setup').prepare({ needEcosystem: true });
  const { runMocha: inCopy, runOnRuntimes: onRuntimes } = load('scripts', 'mocha.js');
  const nodes = load('test', 'nodes');
  say(`the newest Nodes: ${nodes.map(({ version }) => version).join(', ')}`);
  const results = await inTurn(nodes, ({ major, version, path: node }) => runJs({
    node, inCopy, grep, files: files ?? filesOfNewestNodes(), what: ` with Node ${version}`,
    variables: { TEST_NODES: String(major) },
  }));
  if (files !== undefined) return results;
  const variables = await prepareFaulty();
  if (variables !== undefined) {
    const what = ` with Node ${FAULTY}, whose request.signal is faulty`;
    results.push(await runJs({ inCopy, variables, files: filesOfFaultyNode(), grep, what }));
  }
  results.push(...await onRuntimes({ grep }));
  const what = ' of the newest frameworks';
  results.push(await runJs({ inCopy, files: ecosystemFiles('newest'), grep, what }));
  return results;
}

// The number of mutants of a commit, which take some minutes.
const MOST_MUTANTS = 20;

// The tests of most have run before.
function runSomeMutants() {
  const long = longFiles();
  const isKnown = ({ tests = [] }) => !tests.some((file) => long.includes(file));
  return runMutants({ count: MOST_MUTANTS, isKnown });
}

// Resolves to the counts of a part also if it cannot run, which is a failure.
async function counted(name, part) {
  try {
    return await part ?? noCounts();
  } catch (error) {
    report(error);
    return { ...noCounts(), failed: 1, failures: [`${name}: ${error.message.split('\n', 1)}`] };
  }
}

// The tests with third-party programs run with the `oldest` or `newest` Node and versions, or with
// all. One file more runs than there are processors, as some wait at any time.
function runEcosystem(files, grep, { age, ...options } = {}) {
  const [oldest, newest] = majorsOfEnds();
  const TEST_NODES = process.env.TEST_NODES ?? { oldest, newest }[age];
  const variables = age && { TEST_NODES: String(TEST_NODES), TEST_VERSIONS: age };
  const what = ` of the ${age ? `${age} ` : ''}ecosystem`;
  return runJs({ variables, files, grep, jobs: JOBS + 1, what, ...options });
}

// All of them but for what is long, and those that wait, for BullMQ, beside the others.
function runWholeEcosystem(grep, age = 'newest') {
  return Promise.all([
    runEcosystem(ecosystemFiles(), grep, { age }),
    runEcosystem(ecosystemFiles('waiting'), grep, { age, jobs: 1, isHeld: true }),
  ]);
}

// The run of each option. `files` are those that the arguments name. Resolves to a list of counts.
const PARTS = {
  async quick({ files = quickFiles(), grep }) {
    await prepare({ needNodes: true });
    return [await runOnEnds(files, grep)];
  },

  async rust() {
    const env = await prepare({ needAddon: false, needRustTests: true });
    return [await runCargo({ ...SIMULATION, ...env })];
  },

  async js({ files, grep }) {
    const needNodes = files === undefined || files.some((file) => needsNodes(file));
    await prepare({ needNodes });
    if (files === undefined) return runUsual(grep);
    return [needNodes ? await runOnEnds(files, grep) : await runJs({ files, grep })];
  },

  async portable({ files, grep }) {
    await prepare();
    return [await runOnNode({ files, grep })];
  },

  async runtimes({ files, grep }) {
    await prepare({ needRuntimes: true });
    return runOnRuntimes({ files, grep });
  },

  async node({ value, files = testFiles(), grep }) {
    await prepare({ needNodes: true });
    return inTurn(chooseNodes(value), (node) => runWith(node, files, grep));
  },

  async ecosystem({ files, grep }) {
    await prepare({ needEcosystem: true });
    if (files !== undefined) return [await runEcosystem(files, grep)];
    return runWholeEcosystem(grep);
  },

  async long({ files, grep }) {
    const env = await prepare({ needEcosystem: true, needRustTests: files === undefined });
    if (files !== undefined) return [await runEcosystem(files, grep)];
    const simulating = counted('cargo test', runCargo({ ...env, ...LONG_SIMULATION }));
    const ofAll = [...ecosystemFiles('long'), ...ecosystemFiles('each-node')];
    const builds = await runEcosystem(ofAll, grep);
    const oldest = await runWholeEcosystem(grep, 'oldest');
    const matrix = await runMatrix(grep, filesOfLongMatrix);
    const simulated = await simulating;
    // No more of these run at once than there are processors.
    const measuring = await runEcosystem(ecosystemFiles('measuring'), grep, { jobs: JOBS });
    return [builds, ...oldest, ...matrix, simulated, measuring];
  },

  async all({ grep }) {
    const env = await prepare({
      needRustTests: true, needNodes: true, needRuntimes: true, needSystem: true,
    });
    const { PRIORITY_LOW: priority } = os.constants.priority;
    const installing = counted('set-up', prepareEcosystem({ priority }));
    const both = await runHalves({ ...SIMULATION, ...env }, grep, { onEnds: true });
    const runtimes = await runOnRuntimes({ grep });
    const matrix = await runOtherNodes(grep);
    const installed = await installing;
    const ecosystem = installed.failed > 0 ? [] : await runWholeEcosystem(grep);
    const mutants = grep === undefined ? [await counted('mutants', runSomeMutants())] : [];
    return [...both, ...runtimes, ...matrix, installed, ...ecosystem, ...mutants];
  },

  newest: runNewest,

  async binary({ value, files = testFiles(), grep }) {
    const UV_SCHEDULER_BINARY = chooseBinary(value);
    await prepare({ needAddon: false, needNodes: true });
    return [await runOnEnds(files, grep, { variables: { UV_SCHEDULER_BINARY } })];
  },
};

// The tests of cargo take the processor time that mocha's leave: those wait for a third of theirs.
async function runHalves(env, grep, options) {
  return (await Promise.all([runCargo(env), runUsual(grep, options)])).flat();
}

async function runBoth() {
  const env = await prepare({ needRustTests: true, needNodes: true });
  return runHalves({ ...SHORT_SIMULATION, ...env }, undefined, { isShort: true });
}

function runChosen(args) {
  const options = { grep: { type: 'string' } };
  for (const part of Object.keys(PARTS)) {
    options[part] = { type: ['node', 'binary'].includes(part) ? 'string' : 'boolean' };
  }
  const { names, grep, ...parts } = readArguments(args, USAGE, options, true);
  const unknown = names.find((name) => !name.endsWith('.test.js'));
  if (unknown !== undefined) throw usageError(`"${unknown}" is no test file`, USAGE);
  const files = names.length > 0 ? names : undefined;
  const [part, ...others] = Object.keys(parts);
  if (others.length > 0) throw usageError(`--${part} excludes --${others[0]}`, USAGE);
  // Only mocha has files, and chooses tests by their names.
  const isForMocha = files !== undefined || grep !== undefined;
  if (part === undefined && !isForMocha) return runBoth();
  return PARTS[part ?? 'js']({ value: parts[part], files, grep });
}

// The run always ends with its line of counts, even when set-up fails.
async function main(args) {
  let results;
  try {
    results = await runChosen(args);
  } catch (error) {
    const [reason] = error.message.split('\n');
    results = [{ ...noCounts(), failed: 1, failures: [`could not run: ${reason}`] }];
    report(error);
  }
  const sum = (key) => results.reduce((total, result) => total + result[key], 0);
  if (sum('passed') + sum('failed') === 0) {
    results.push({ ...noCounts(), failed: 1, failures: ['no test has such a name'] });
  }
  if (sum('skipped') > 0) say(`skipped or ignored tests: ${sum('skipped')}`);
  process.stdout.write('\n');
  for (const failure of results.flatMap(({ failures }) => failures)) {
    process.stdout.write(`failed: ${failure}\n`);
  }
  process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed\n`);
  return sum('failed') === 0 ? 0 : 1;
}

runMain(main);
