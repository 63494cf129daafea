'use strict';

// `npm run lint`: runs set-up without the addon, then every linter, even after one has failed.
// Those of Rust follow each other, and the others run beside them. Their rules are in rustfmt.toml,
// Cargo.toml, eslint.config.js and .github/zizmor.yml.

require('./setup/check-node');
const path = require('node:path');
const { prepare } = require('./setup');
const { readArguments, usageError } = require('./setup/arguments');
const { ROOT, runMain, say, succeedsBeside } = require('./setup/process');
const python = require('./setup/python');
const { checkLinters } = require('./setup/tools');

const USAGE = 'npm run lint';

// Programs that use the package's type declarations check them.
const TYPES = path.join(ROOT, 'test', 'types', 'tsconfig.json');

// The linter of workflows reads its rules from .github/zizmor.yml.
const ZIZMOR = 'zizmor==1.32.0';

const FUZZ = ['--manifest-path', path.join(ROOT, 'core', 'fuzz', 'Cargo.toml')];

// Each linter has a name, a program and its arguments.
const RUST = [
  ['cargo fmt --all --check', 'cargo', ['fmt', '--all', '--check']],
  [
    'cargo clippy --workspace --all-targets -- -D warnings',
    'cargo',
    ['clippy', '--workspace', '--all-targets', '--', '-D', 'warnings'],
  ],
  // Only its target needs a C++ compiler, so only the library is checked.
  ['cargo fmt --check (fuzz)', 'cargo', ['fmt', '--check', ...FUZZ]],
  [
    'cargo clippy --lib -- -D warnings (fuzz)',
    'cargo',
    ['clippy', ...FUZZ, '--lib', '--', '-D', 'warnings'],
  ],
];

const ofNode = (...parts) => path.join(ROOT, 'node_modules', ...parts);
const OTHERS = [
  ['eslint .', process.execPath, [ofNode('eslint', 'bin', 'eslint.js'), '.']],
  [
    'tsc --noEmit (test/types)',
    process.execPath,
    [ofNode('typescript', 'bin', 'tsc'), '--noEmit', '--project', TYPES],
  ],
];

function linterOfWorkflows() {
  const { programs } = python.environment('zizmor', 'the linter of workflows', [ZIZMOR]);
  const args = ['--offline', '--min-severity=low', '.github'];
  return ['zizmor .github', path.join(programs, 'zizmor'), args];
}

// Resolves to the names of those that failed.
async function runInTurn(linters, env) {
  const failed = [];
  for (const [name, command, args] of linters) {
    say(`${name} …`);
    if (!(await succeedsBeside(command, args, { env }))) failed.push(name);
  }
  return failed;
}

runMain(async () => {
  const { names } = readArguments(process.argv.slice(2), USAGE);
  if (names.length > 0) throw usageError(`There is no linter "${names[0]}"`, USAGE);
  const env = await prepare({ needAddon: false, needCargo: true });
  checkLinters(env);
  const others = [...OTHERS, linterOfWorkflows()];
  const lanes = await Promise.all([runInTurn(RUST, env), runInTurn(others, env)]);
  const failed = lanes.flat();
  say(failed.length === 0 ? 'no linter complains' : `linters that failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
});
