// vitest as its users have it, in each of its pools. The package is external, as what is installed in
// node_modules is.

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
