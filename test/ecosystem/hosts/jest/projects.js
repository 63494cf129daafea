'use strict';

// The projects of a jest configuration: test files in the given node environment and in jsdom, in
// three ways of loading the package.

const path = require('node:path');

const common = { rootDir: __dirname, transform: {} };
const WAYS = {
  plain: { testMatch: ['**/environment-suite.js'] },
  registered: {
    testMatch: ['**/registered-suite.js'],
    setupFiles: [path.join(__dirname, '..', '..', '..', '..', 'register.js')],
  },
  late: { testMatch: ['**/late-suite.js'], fakeTimers: { enableGlobally: true } },
};

// `node` and `jsdom` are environments. The settings in `plainNode` replace those of the plain way
// in the node environment.
function projects(jsdom, node, plainNode = {}) {
  const all = Object.entries({ node, jsdom }).flatMap(([environment, module]) => {
    return Object.entries(WAYS).map(([way, settings]) => ({
      ...common,
      displayName: `${environment} ${way}`,
      testEnvironment: require.resolve(module),
      ...settings,
      ...(environment === 'node' && way === 'plain' ? plainNode : {}),
    }));
  });
  return { rootDir: __dirname, testTimeout: 60_000, watchman: false, projects: all };
}

module.exports = { projects };
