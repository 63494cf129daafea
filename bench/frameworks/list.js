'use strict';

// Lists the programs, in the order of the results. docs/frameworks.md names each. `node` is the
// oldest Node that runs one, where that is not the package's. An `example` is an application of
// examples/ that has to be built, with the path of its page and the variables by which the page
// takes about as long as the others. These need a Node that has hooks for modules.

const path = require('node:path');

const FOLDER = path.join(__dirname, 'programs');

// The variables of the examples whose page has ORDERS.
const REPORT = { page: '/report', env: { ORDERS: 1700 } };

const PROGRAMS = [
  { name: 'express', title: 'Express' },
  { name: 'fastify', title: 'Fastify' },
  { name: 'koa', title: 'Koa' },
  { name: 'hono', title: 'Hono' },
  { name: 'vue', title: 'Vue' },
  { name: 'nuxt', title: 'Nuxt', example: 'nuxt', ...REPORT, node: '22.19' },
  { name: 'svelte', title: 'Svelte' },
  { name: 'sveltekit', title: 'SvelteKit', example: 'sveltekit', ...REPORT, node: '22.17' },
  { name: 'astro', title: 'Astro', example: 'astro', ...REPORT, node: '22.12' },
  { name: 'preact', title: 'Preact, islands' },
  { name: 'preact-gate', title: 'Preact, a gate' },
  {
    name: 'next-app', title: 'Next.js, app router', example: 'next', page: '/report',
    env: { MONTHS: 30, ORDERS: 8000, TOTALS_PRIORITY: 'user-visible' }, node: '22',
  },
  {
    name: 'next-pages', title: 'Next.js, pages router', example: 'next', page: '/years',
    env: { MONTHS: 30, ORDERS: 8000 }, node: '22',
  },
  { name: 'react-router', title: 'React Router' },
  { name: 'graphql-16', title: 'graphql-js 16' },
  { name: 'graphql-17', title: 'graphql-js 17', node: '22' },
  { name: 'yoga', title: 'GraphQL Yoga 5' },
  { name: 'json', title: 'JSON, any value' },
  { name: 'json-list', title: 'JSON, a list' },
  { name: 'csv', title: 'CSV' },
];

const VARIANTS = ['plain', 'immediates', 'uv-scheduler'];

// Shares of the pages that the plain program can make at most.
const LOADS = [0.5, 0.8];

const runsOn = ({ node = '0' }, version = process.versions.node) =>
  version.localeCompare(node, 'en', { numeric: true }) >= 0;

// The file and the arguments that start a program in a variant.
function commandOf({ name, example, env = {} }, variant) {
  const file = path.join(FOLDER, `${example ? 'example' : name}.js`);
  return { file, args: example ? [variant, example, JSON.stringify(env)] : [variant] };
}

// The examples among the programs of these names that run on a version of Node.
const examplesOf = (names, version) => new Set(PROGRAMS
  .filter((program) => program.example && names.includes(program.name) && runsOn(program, version))
  .map(({ example }) => example));

module.exports = { FOLDER, LOADS, PROGRAMS, VARIANTS, commandOf, examplesOf, runsOn };
