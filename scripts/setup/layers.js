'use strict';

// The rules of `npm run lint` for what requires what, in the words of dependency-cruiser: the
// layers of lib/, the door of integrations/, and no circles.

// A room of lib/ may require those below it: tasks → signals → loop → loading → webidl. What
// watches stands beside tasks, which reach it through the observers of loop. `plain` and `portable`
// are hosts in place of the addon, of which load.js chooses one.
const layer = (room, above) => ({
  name: `layer-${room}`,
  severity: 'error',
  from: { path: `^lib/${room}/` },
  to: { path: `^lib/(${above.join('|')})`, pathNot: EXCEPTIONS[room] },
});

// Files at the top of lib/.
const ENTRIES = ['api', 'internal', 'load'].map((name) => `${name}\\.js$`);

const UPPER = ['browser/', 'tasks/', 'watch/', ...ENTRIES];
const HOSTS = ['plain/', 'portable/'];

const EXCEPTIONS = {
  // The numbers that both sides share, and the parts in which hosts differ, use nothing else of
  // loop/.
  loading: ['^lib/loop/(protocol|platform)\\.js$'],
  // The entry of Bun and Deno.
  portable: ['^lib/load\\.js$'],
};

module.exports = {
  forbidden: [
    layer('webidl', ['loading/', 'loop/', 'signals/', ...HOSTS, ...UPPER]),
    layer('loading', ['loop/', 'signals/', ...HOSTS, ...UPPER]),
    layer('loop', ['signals/', ...HOSTS, ...UPPER]),
    layer('plain', ['signals/', 'portable/', ...UPPER]),
    layer('portable', ['signals/', 'plain/', ...UPPER]),
    layer('signals', [...HOSTS, ...UPPER]),
    layer('tasks', ['browser/', 'watch/', ...HOSTS, ...ENTRIES]),
    layer('browser', ['loop/', 'signals/', 'tasks/', 'watch/', ...HOSTS, ...ENTRIES]),
    layer('watch', ['browser/', ...HOSTS, ...ENTRIES]),
    {
      // One file gives it access to the task that runs.
      name: 'watch-beside-tasks',
      severity: 'error',
      from: { path: '^lib/watch/', pathNot: '^lib/watch/context\\.js$' },
      to: { path: '^lib/tasks/' },
    },
    {
      name: 'lib-beneath-all',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(integrations/|index\\.js$|register\\.js$)' },
    },
    {
      // Copies of a file with a state would have states of their own. Bundles for browsers share
      // nothing, and tests also load the package where the addon does not load.
      name: 'door-of-integrations',
      severity: 'error',
      from: {
        path: '^integrations/',
        pathNot:
          '^integrations/(internal|(react|watch)/browser|react/props|testing/package)\\.m?js$',
      },
      to: { path: '^lib/' },
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Built from these.
    exclude: { path: '^dist/' },
    moduleSystems: ['cjs', 'es6'],
  },
};
