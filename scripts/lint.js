'use strict';

// `npm run lint`: runs set-up without the addon, then every linter, even after one has failed.
// Those of Rust follow each other, and the others run beside them. Their rules are in rustfmt.toml,
// Cargo.toml, eslint.config.js, setup/{columns,layers,numbers}.js and .github/zizmor.yml.

require('./setup/check-node');
const path = require('node:path');
const { prepare } = require('./setup');
const { ROOT, inTurn, readArguments, runMain, say, succeedsBeside } = require('./setup/process');
const python = require('./setup/python');
const { checkLinters } = require('./setup/tools');

// Programs that use the package's type declarations check them.
const TYPES = path.join(ROOT, 'test', 'types', 'tsconfig.json');

// The rules for what requires what.
const LAYERS = path.join(__dirname, 'setup', 'layers.js');

// The linter of workflows reads its rules from .github/zizmor.yml.
const ZIZMOR = 'zizmor==1.32.0';

const MANIFEST = path.join('core', 'fuzz', 'Cargo.toml');

// Only the fuzz target needs a C++ compiler, so only the library beside it is checked.
const RUST = [
  'cargo fmt --all --check',
  'cargo clippy --workspace --all-targets -- -D warnings',
  `cargo fmt --check --manifest-path ${MANIFEST}`,
  `cargo clippy --lib --manifest-path ${MANIFEST} -- -D warnings`,
].map((command) => [command, ...command.split(' ')]);

const ofNode = (...parts) => [process.execPath, path.join(ROOT, 'node_modules', ...parts)];
const OTHERS = [
  ['eslint .', ...ofNode('eslint', 'bin', 'eslint.js'), '.'],
  ['100 columns', process.execPath, path.join(__dirname, 'setup', 'columns.js')],
  ['measured numbers', process.execPath, path.join(__dirname, 'setup', 'numbers.js')],
  ['dependency-cruiser', ...ofNode('dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
    '--config', LAYERS, 'lib', 'integrations', 'index.js', 'register.js'],
  ['tsc --noEmit (test/types)', ...ofNode('typescript', 'bin', 'tsc'), '--noEmit', '-p', TYPES],
];

runMain(async (args) => {
  readArguments(args, 'npm run lint');
  const env = await prepare({ needAddon: false, needCargo: true });
  checkLinters(env);
  const { programs } = python.environment('zizmor', 'the linter of workflows', [ZIZMOR]);
  const zizmor = [path.join(programs, 'zizmor'), '--offline', '--min-severity=low', '.github'];
  const others = [...OTHERS, ['zizmor .github', ...zizmor]];
  // Resolves to a list: the name if the linter failed.
  const run = async ([name, command, ...words]) => {
    say(`${name} …`);
    return (await succeedsBeside(command, words, { env })) ? [] : [name];
  };
  const failed = (await Promise.all([inTurn(RUST, run), inTurn(others, run)])).flat(2);
  say(failed.length === 0 ? 'no linter complains' : `linters that failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
});
