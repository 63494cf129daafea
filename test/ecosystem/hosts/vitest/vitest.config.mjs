// vitest with its default settings, in each of its pools. The package is external, as packages in
// node_modules are.

const pools = ['threads', 'forks', 'vmThreads', 'vmForks'];

export default {
  root: import.meta.dirname,
  test: {
    projects: pools.map((pool) => ({
      test: {
        name: pool,
        pool,
        include: ['*.test.mjs'],
        testTimeout: 60_000,
        server: { deps: { external: [/index\.js$/, /fixtures\/runners/] } },
      },
    })),
  },
};
