'use strict';

// `npm run check queues -- [--seconds N | --runs N]`: runs set-up, then builds and runs the fuzz
// target of the queues, guided by coverage, for a minute by default. It shrinks each failing input,
// prints the calls that reproduce the failure, and keeps the input in a file. Given such a file, it
// repeats those calls.

const { spawn, spawnSync } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const readline = require('node:readline');
const {
  ROOT, SetupError, output, readArguments, say, toNumber, usageError,
} = require('../setup/process');
const { prepare } = require('../setup');
const { buildWithFlags } = require('../setup/programs');

const TARGET = 'queues';
const FUZZ = path.join(ROOT, 'core', 'fuzz');
const CORPUS = path.join(FUZZ, 'corpus', TARGET);
const ARTIFACTS = path.join(FUZZ, 'artifacts', TARGET);

// The flags of cargo-fuzz without those for a sanitizer, so that a stable compiler accepts them.
const COVERAGE = [
  '-Cpasses=sancov-module', '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table', '-Cllvm-args=-sanitizer-coverage-trace-compares',
  '-Cllvm-args=-simplifycfg-branch-fold-threshold=0', '--cfg fuzzing',
];

// Allows long inputs from the start, and tries slow ones less often.
const WAYS = ['-len_control=0', '-max_len=500', '-entropic_scale_per_exec_time=1', '-timeout=20'];

// The time for shrinking a finding, in seconds.
const MINIMIZING = 20;

const USAGE = 'npm run check queues -- [--seconds N | --runs N | FILE]';

function parse(args) {
  const text = { type: 'string' };
  const { names, seconds, runs } = readArguments(args, USAGE, { seconds: text, runs: text });
  const given = [...names, seconds, runs].filter((value) => value !== undefined);
  if (given.length > 1) throw usageError('Only one of these can be chosen', USAGE);
  const [file] = names;
  if (runs !== undefined) return { bound: `-runs=${toNumber('runs', runs, USAGE)}` };
  if (file === undefined) {
    return { bound: `-max_total_time=${toNumber('seconds', seconds ?? '60', USAGE)}` };
  }
  if (!fs.existsSync(file)) throw usageError(`There is no file ${file}`, USAGE);
  return { file: path.resolve(file) };
}

function build(env) {
  // The crate contains libFuzzer as C++ source.
  const compiler = env.CXX || 'c++';
  if (output(compiler, ['--version'], { env }) === null) {
    throw new SetupError(`No C++ compiler: "${compiler}" was not found (g++ on most systems).`);
  }
  say('building the fuzz target …');
  const args = ['--release', '--locked', '--bin', TARGET];
  const target = path.join(FUZZ, 'target');
  const built = buildWithFlags(args, { cwd: FUZZ, env, target, flags: COVERAGE });
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return path.join(built, 'release', TARGET + suffix);
}

// libFuzzer prints every input that it keeps, and at the end the words that it has learned.
const TOO_MUCH = /^#\d+\s+(NEW|REDUCE)\s|^\s*NEW_FUNC|# Uses: \d+$|ecommended dictionary/;

async function fuzz(binary, bound) {
  const args = [...WAYS, bound, '-print_final_stats=1', `-artifact_prefix=${ARTIFACTS}${path.sep}`];
  const child = spawn(binary, [...args, CORPUS], { stdio: ['ignore', 'inherit', 'pipe'] });
  readline.createInterface({ input: child.stderr }).on('line', (line) => {
    if (!TOO_MUCH.test(line)) process.stderr.write(`${line}\n`);
  });
  const [code] = await once(child, 'close');
  return code;
}

// Returns the newest file of the findings if it was written after `since`.
function finding(since) {
  const files = fs.readdirSync(ARTIFACTS).map((name) => path.join(ARTIFACTS, name));
  const age = (file) => fs.statSync(file).mtimeMs;
  const fresh = files.filter((file) => age(file) >= since);
  return fresh.sort((a, b) => age(b) - age(a))[0];
}

// Returns a smaller file with the same finding, or the given file if there is none.
function minimized(binary, file) {
  const smaller = `${file}.small`;
  const args = ['-minimize_crash=1', `-max_total_time=${MINIMIZING}`, '-timeout=20'];
  say(`making it smaller, ${MINIMIZING} s at most …`);
  spawnSync(binary, [...args, `-exact_artifact_path=${smaller}`, file], { stdio: 'ignore' });
  return fs.existsSync(smaller) ? smaller : file;
}

// Runs one input and prints each call before making it. Returns true if the queues behaved well.
function repeat(binary, file) {
  const env = { ...process.env, TRACE: '1', RUST_BACKTRACE: '0' };
  const { status, stderr } = spawnSync(binary, ['-timeout=20', file], { env, encoding: 'utf8' });
  const end = stderr.search(/^(==\d+==|Executed )/m);
  process.stderr.write(end < 0 ? stderr : stderr.slice(stderr.indexOf('Running:'), end));
  if (status === 0) say('the queues do as they should');
  return status === 0;
}

module.exports = async (args) => {
  const { bound, file } = parse(args);
  const binary = build(await prepare({ needAddon: false, needCargo: true }));
  if (file) return repeat(binary, file) ? 0 : 1;
  for (const folder of [CORPUS, ARTIFACTS]) fs.mkdirSync(folder, { recursive: true });
  const start = Date.now();
  const code = await fuzz(binary, bound);
  const found = finding(start);
  if (!found) return code;
  const small = minimized(binary, found);
  say('the calls that lead there:');
  repeat(binary, small);
  say(`to repeat them: npm run check queues -- ${path.relative(ROOT, small)}`);
  return 1;
};
