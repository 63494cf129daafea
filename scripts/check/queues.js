'use strict';

// `npm run check queues -- [--seconds N | --runs N | FILE]`: runs set-up, then the fuzz target of
// the queues with cargo-fuzz, guided by coverage, for a minute by default. A failing input is kept
// in a file that cargo-fuzz names. Given that file, it prints the calls up to the failure.

const fs = require('node:fs');
const path = require('node:path');
const {
  ROOT, SetupError, output, readArguments, runQuietly, say, succeeds, toNumber, usageError,
} = require('../setup/process');
const { prepare } = require('../setup');

const VERSION = '0.13.2';
const TOOLS = path.join(ROOT, 'target', 'cargo-fuzz');

// Allows long inputs from the start, and tries slow ones less often.
const WAYS = ['-len_control=0', '-max_len=500', '-entropic_scale_per_exec_time=1', '-timeout=20'];

const USAGE = 'npm run check queues -- [--seconds N | --runs N | FILE]';

// Returns the arguments of cargo-fuzz.
function parse(args) {
  const text = { type: 'string' };
  const { names, seconds, runs } = readArguments(args, USAGE, { seconds: text, runs: text }, true);
  const given = [...names, seconds, runs].filter((value) => value !== undefined);
  if (given.length > 1) throw usageError('Only one of these can be chosen', USAGE);
  const [file] = names;
  if (file !== undefined) {
    if (!fs.existsSync(file)) throw usageError(`There is no file ${file}`, USAGE);
    return [path.resolve(file)];
  }
  const bound = runs === undefined
    ? `-max_total_time=${toNumber('seconds', seconds ?? '60', USAGE)}`
    : `-runs=${toNumber('runs', runs, USAGE)}`;
  return ['--', ...WAYS, bound];
}

// Installs cargo-fuzz, and a compiler must be there: the crate contains libFuzzer as C++ source.
function prepareTools(env) {
  const compiler = env.CXX || 'c++';
  if (output(compiler, ['--version'], { env }) === null) {
    throw new SetupError(`No C++ compiler: "${compiler}" was not found (g++ on most systems).`);
  }
  env.PATH = `${path.join(TOOLS, 'bin')}${path.delimiter}${env.PATH}`;
  if (output('cargo', ['fuzz', '--version'], { env }) === `cargo-fuzz ${VERSION}`) return;
  say(`installing cargo-fuzz ${VERSION} (cargo install) …`);
  const args = ['install', 'cargo-fuzz', '--version', VERSION, '--locked', '--root', TOOLS];
  const failure = 'cargo-fuzz could not be installed; cargo\'s message is above.';
  runQuietly(failure, 'cargo', args, { env });
}

module.exports = async (args) => {
  const chosen = parse(args);
  const env = await prepare({ needAddon: false, needCargo: true });
  prepareTools(env);
  // A stable compiler has no sanitizers. The target prints each call if it is to repeat a file.
  if (chosen[0] !== '--') env.TRACE = '1';
  const command = ['fuzz', 'run', '--sanitizer', 'none', 'queues', ...chosen];
  return succeeds('cargo', command, { cwd: path.join(ROOT, 'core'), env }) ? 0 : 1;
};
