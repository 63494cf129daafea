// vitest with its default settings, in each of its pools and in three ways of loading the package.
// The package is external, as packages in node_modules are.

const POOLS = ['threads', 'forks', 'vmThreads', 'vmForks'];
const WAYS = { plain: {}, registered: { setupFiles: ['../../../../register.js'] }, late: {} };

const root = import.meta.dirname;
// The tests run several versions of Node at once, and Vite fails if two processes write the same
// cache.
const cacheDir = `node_modules/.vite/${process.version}`;
const external = [/index\.js$/, /register\.js$/, /fixtures\/runners/];

const projects = POOLS.flatMap((pool) => Object.entries(WAYS).map(([way, settings]) => ({
  root,
  cacheDir,
  test: {
    ...settings,
    env: { WAY: way },
    name: `${pool} ${way}`,
    pool,
    testTimeout: 60_000,
    server: { deps: { external } },
  },
})));

export default { root, cacheDir, test: { projects } };
