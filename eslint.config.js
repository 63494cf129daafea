'use strict';

// The rules for all JavaScript files. scripts/setup/columns.js counts the columns of each line, and
// scripts/setup/layers.js says what may require what. Clippy checks the Rust code.

const js = require('@eslint/js');
const globals = require('globals');

const COMMON_JS = ['exports', 'module', 'require', '__dirname', '__filename'];

module.exports = [
  { ignores: ['target/', 'dist/', 'npm/', '**/node_modules/'] },
  {
    // What the builds of frameworks write.
    ignores: ['next', 'nuxt', 'output', 'react-router', 'svelte-kit', 'astro']
      .map((name) => `**/.${name}/`),
  },
  { ignores: ['examples/*/build/', 'examples/*/dist/'] },
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
    // Their package.json says that they have modules; of Next.js, that it wants this name.
    files: ['examples/**/*.js'],
    ignores: ['examples/{docs-site,fleet}/**'],
    languageOptions: {
      sourceType: 'module',
      globals: Object.fromEntries(COMMON_JS.map((name) => [name, 'off'])),
    },
    rules: { strict: 'off' },
  },
  {
    // Nuxt and Nitro import these by themselves.
    files: ['examples/nuxt/**/*.js'],
    languageOptions: {
      globals: {
        defineEventHandler: 'readonly',
        defineNitroPlugin: 'readonly',
        defineNuxtConfig: 'readonly',
        defineNuxtPlugin: 'readonly',
        getHeader: 'readonly',
        setHeader: 'readonly',
        setResponseStatus: 'readonly',
      },
    },
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
