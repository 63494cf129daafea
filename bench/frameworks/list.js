'use strict';

// Lists the programs, in the order of docs/frameworks.md, which names each. `node` is the oldest
// Node that runs one, where that is not the package's.

const PROGRAMS = [
  { name: 'express', title: 'Express' },
  { name: 'fastify', title: 'Fastify' },
  { name: 'koa', title: 'Koa' },
  { name: 'hono', title: 'Hono' },
  { name: 'vue', title: 'Vue' },
  { name: 'svelte', title: 'Svelte' },
  { name: 'preact', title: 'Preact, islands' },
  { name: 'preact-gate', title: 'Preact, a gate' },
  { name: 'react-router', title: 'React Router' },
  { name: 'graphql-16', title: 'graphql-js 16' },
  { name: 'graphql-17', title: 'graphql-js 17', node: 22 },
  { name: 'yoga', title: 'GraphQL Yoga 5' },
  { name: 'json', title: 'JSON, any value' },
  { name: 'json-list', title: 'JSON, a list' },
  { name: 'csv', title: 'CSV' },
];

const VARIANTS = ['plain', 'immediates', 'uv-scheduler'];

// Shares of the pages that the plain program can make at most.
const LOADS = [0.5, 0.8];

const runsOn = ({ node = 0 }, version = process.versions.node) => parseInt(version, 10) >= node;

module.exports = { LOADS, PROGRAMS, VARIANTS, runsOn };
