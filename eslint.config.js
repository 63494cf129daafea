'use strict';

// The rules for all JavaScript files. Clippy checks the Rust code.

const js = require('@eslint/js');
const globals = require('globals');

module.exports = [
  { ignores: ['target/', 'dist/', 'npm/', '**/node_modules/', '**/.next/'] },
  { ignores: ['**/.svelte-kit/', 'examples/sveltekit/build/'] },
  { ignores: ['examples/react-router/.react-router/', 'examples/react-router/build/'] },
  js.configs.recommended,
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: 'commonjs',
      globals: globals.node,
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      curly: ['error', 'multi-line'],
      eqeqeq: 'error',
      'max-len': ['error', { code: 100, ignoreUrls: true }],
      'no-implicit-globals': 'error',
      'no-throw-literal': 'error',
      'no-unused-vars': ['error', { args: 'after-used', caughtErrors: 'all' }],
      'no-var': 'error',
      'prefer-const': 'error',
      strict: ['error', 'global'],
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: globals.node },
  },
  {
    // Next.js wants this name.
    files: ['examples/next/proxy.js'],
    languageOptions: { sourceType: 'module' },
    rules: { strict: 'off' },
  },
  {
    // Applications whose package.json says that they have modules.
    files: ['examples/react-router/**/*.js', 'examples/sveltekit/**/*.js'],
    languageOptions: { sourceType: 'module' },
    rules: { strict: 'off' },
  },
  {
    files: ['examples/docs-site/scheduler-page/*.mjs'],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ['test/**/*.js'],
    languageOptions: { globals: globals.mocha },
  },
];
