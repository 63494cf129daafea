'use strict';

// Applies mutants of test/mutants/ one after the other in a copy of the checkout, and finds out
// whether the tests that should kill it fail. A test that does not end kills, too. The tests of
// mocha run with the newest Node, and those of cargo beside them.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { prepare } = require('./setup');
const { copySources } = require('./setup/copy');
const { ROOT, SetupError, output, runBeside, say } = require('./setup/process');
const { noCounts } = require('./mocha');
const { MUTANTS, mutate } = require('../test/mutants');
const { selection } = require('../test/portable/tags.js');

const COPY = path.join(ROOT, 'target', 'mutants');
// The folder of the checkout, so that the crates of others are compiled once.
const CARGO = path.join(ROOT, 'target');

// The packages that the copy shares with the checkout.
const PACKAGES = ['node_modules', 'test/nodes/node_modules'];

// Far longer than the tests of a mutant take, in ms. Those of cargo leave the processor to others.
const LIMIT = 30_000;
const CARGO_LIMIT = 60_000;

// The tests of the simulated loop try all schedules of so many actions.
const SIMULATION_DEPTH = '2';

const inCopy = (...names) => path.join(COPY, ...names);

// Some mutants, as a text decides.
function draw(mutants, count = Infinity, seed = output('git', ['rev-parse', 'HEAD'])) {
  const rank = ({ name }) => createHash('sha256').update(`${seed}\0${name}`).digest('hex');
  const ranks = new Map(mutants.map((mutant) => [mutant, rank(mutant)]));
  const isBefore = (one, other) => (ranks.get(one) < ranks.get(other) ? -1 : 1);
  const drawn = new Set([...mutants].sort(isBefore).slice(0, count));
  return mutants.filter((mutant) => drawn.has(mutant));
}

function makeCopy() {
  copySources(COPY);
  for (const folder of PACKAGES) {
    fs.rmSync(inCopy(folder), { recursive: true, force: true });
    fs.symlinkSync(path.join(ROOT, folder), inCopy(folder), 'junction');
  }
}

// Resolves to why these tests of mocha fail; undefined if they pass.
async function failureOfMocha({ tests, grep, isPortable }) {
  require(inCopy('scripts', 'setup', 'bundle')).build();
  const { environment, runMocha } = require(inCopy('scripts', 'mocha'));
  const node = require('../test/nodes').at(-1);
  const env = isPortable ? environment() : { ...process.env, TEST_NODES: String(node.major) };
  const args = ['--exit', '--bail', ...tests];
  const wanted = isPortable ? selection('node', grep) : grep;
  if (wanted !== undefined) args.push('--grep', wanted);
  const command = [node.path];
  const options = { command, env, args, limit: LIMIT, isQuiet: true, hasTests: false };
  const { passed, failed, failures } = await runMocha(options);
  if (passed + failed === 0) throw new SetupError(`No test of ${tests} has the title ${grep}`);
  return failures[0];
}

// The same with tests of cargo.
async function failureOfCargo({ target, filter = '' }, cargo) {
  const env = { ...cargo, SIMULATION_DEPTH, CARGO_TARGET_DIR: CARGO };
  const options = { cwd: COPY, env, priority: os.constants.priority.PRIORITY_LOW };
  const of = target === 'lib' ? ['--lib'] : ['--test', target];
  const args = ['test', '--package', 'uv-scheduler-core', ...of];
  const built = await runBeside('cargo', [...args, '--no-run'], options);
  if (built.code !== 0) throw new SetupError(`It does not compile:\n${built.text}`);
  const run = await runBeside('cargo', [...args, filter], { ...options, limit: CARGO_LIMIT });
  if (run.stdout.includes('running 0 tests')) throw new SetupError(`cargo ran no test: ${filter}`);
  return run.code === 0 ? undefined : `cargo ended with exit code ${run.code}`;
}

// The killers of a mutant, as a text.
const killerOf = ({ tests, grep, isPortable, target, filter }) =>
  JSON.stringify({ tests, grep, isPortable, target, filter });

// Runs what kills the mutants, without them unless it `isKnown` to pass, and with each. The first
// shows in any case that tests can pass in the copy. Resolves to the survivors.
async function runLane(mutants, failureOf, isKnown) {
  const unknown = mutants.filter((mutant, index) => index === 0 || !isKnown(mutant));
  const killers = new Map(unknown.map((mutant) => [killerOf(mutant), mutant]));
  const broken = [];
  for (const [killer, mutant] of killers) {
    const failure = await failureOf(mutant);
    if (failure !== undefined) broken.push(`${failure}: ${killer}`);
  }
  if (broken.length > 0) {
    throw new SetupError(`Tests fail without a mutant.\n${broken.join('\n')}`);
  }
  const survivors = [];
  for (const mutant of mutants) {
    const file = inCopy(mutant.file);
    const before = fs.readFileSync(file, 'utf8');
    const start = performance.now();
    fs.writeFileSync(file, mutate(mutant, before));
    let survives;
    try {
      survives = await failureOf(mutant) === undefined;
    } catch (error) {
      throw new SetupError(`${mutant.name}: ${error.message}`);
    } finally {
      fs.writeFileSync(file, before);
    }
    const time = `${((performance.now() - start) / 1000).toFixed(1)} s`.padStart(6);
    process.stdout.write(`${survives ? 'SURVIVED' : 'killed  '} ${time}  ${mutant.name}\n`);
    if (survives) survivors.push(mutant);
  }
  return survivors;
}

// Runs the mutants whose files or names match `only`, or `count` of these, as the text `seed`
// decides: by default the hash of the commit. `isKnown` says of which the tests have passed without
// it. Resolves to counts, in which a survivor is a failure.
async function runMutants({ only = /^/, count, seed, isKnown = () => false } = {}) {
  const isWanted = ({ file, name }) => only.test(`${file}: ${name}`);
  const mutants = draw(MUTANTS.filter(isWanted), count, seed);
  const isOfCargo = ({ target }) => target !== undefined;
  const cargo = await prepare({ needNodes: true, needCargo: mutants.some(isOfCargo) });
  for (const mutant of mutants) {
    mutate(mutant, fs.readFileSync(path.join(ROOT, mutant.file), 'utf8'));
  }
  say(`running ${mutants.length} of ${MUTANTS.length} mutants …`);
  makeCopy();
  const lanes = await Promise.allSettled([
    runLane(mutants.filter((mutant) => !isOfCargo(mutant)), failureOfMocha, isKnown),
    runLane(mutants.filter(isOfCargo), (mutant) => failureOfCargo(mutant, cargo), isKnown),
  ]);
  const broken = lanes.find(({ status }) => status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  const survivors = lanes.flatMap(({ value }) => value);
  const failures = survivors.map(({ file, name }) => `no test notices that ${name} (${file})`);
  const [passed, failed] = [mutants.length - survivors.length, survivors.length];
  return { ...noCounts(), passed, failed, failures };
}

module.exports = { runMutants };
