'use strict';

// The projects of a jest configuration: one in the given node environment, and one in jsdom.

const common = { rootDir: __dirname, transform: {} };

function projects(jsdom, node) {
  const inJsdom = {
    displayName: 'jsdom',
    testMatch: ['**/environment-suite.js'],
    testEnvironment: require.resolve(jsdom),
  };
  const all = [node, inJsdom].map((project) => ({ ...common, ...project }));
  return { rootDir: __dirname, testTimeout: 60_000, watchman: false, projects: all };
}

module.exports = { projects };
