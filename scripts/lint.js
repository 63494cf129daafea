'use strict';

// `npm run lint`: runs set-up without the addon, then every linter, even after one has failed.
// Their rules are in rustfmt.toml, Cargo.toml, eslint.config.js and .github/zizmor.yml.

require('./setup/check-node');
const path = require('node:path');
const { ROOT, runMain, say, succeeds } = require('./setup/process');
const { prepare } = require('./setup');
const python = require('./setup/python');
const { checkLinters } = require('./setup/tools');

// Programs that use the package's type declarations check them.
const TYPES = path.join(ROOT, 'test', 'types', 'tsconfig.json');

// The linter of workflows reads its rules from .github/zizmor.yml.
const ZIZMOR = 'zizmor==1.32.0';

const FUZZ = ['--manifest-path', path.join(ROOT, 'core', 'fuzz', 'Cargo.toml')];

function linters() {
  const nodeTool = (...parts) => path.join(ROOT, 'node_modules', ...parts);
  const list = [
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
    ['eslint .', process.execPath, [nodeTool('eslint', 'bin', 'eslint.js'), '.']],
    [
      'tsc --noEmit (test/types)',
      process.execPath,
      [nodeTool('typescript', 'bin', 'tsc'), '--noEmit', '--project', TYPES],
    ],
  ];
  const { programs } = python.environment('zizmor', 'the linter of workflows', [ZIZMOR]);
  const args = ['--offline', '--min-severity=low', '.github'];
  list.push(['zizmor .github', path.join(programs, 'zizmor'), args]);
  return list;
}

runMain(() => {
  const env = prepare({ needAddon: false, needCargo: true });
  checkLinters(env);
  const failed = [];
  for (const [name, command, args] of linters()) {
    say(`${name} …`);
    if (!succeeds(command, args, { env })) failed.push(name);
  }
  say(failed.length === 0 ? 'no linter complains' : `linters that failed: ${failed.join('; ')}`);
  return failed.length === 0 ? 0 : 1;
});
