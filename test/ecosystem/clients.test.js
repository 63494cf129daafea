'use strict';

// Packages that use the web's scheduler, on the globals that register installs. Their programs are
// in clients/programs/.
// @host newest

const path = require('node:path');
const { ROOT, assertOnEnds, run } = require('../helpers/loop.js');

// By name: the title of the test of each program, and the lines that the program prints.
const PROGRAMS = {
  'react-scheduler': ['React’s scheduler/unstable_post_task runs its callbacks by their priority', [
    // A task that yields goes on before other tasks of its priority.
    'blocking:2', 'urgent:1', 'low:4', 'normal:3', 'shouldYield:true', 'continuation:3',
    'normal:3', 'idle:5', 'delayed:8',
  ]],
  'scheduler-polyfill': ['scheduler-polyfill keeps the registered scheduler',
    ['true,true,true,false']],
};

describe('on the registered globals', () => {
  // A program runs on the oldest and the newest Node. It must end by itself.
  for (const [name, [title, lines]] of Object.entries(PROGRAMS)) {
    it(title, async () => {
      const program = path.join(__dirname, 'clients', 'programs', `${name}.js`);
      const args = ['--require', path.join(ROOT, 'register.js'), program];
      const expected = { code: 0, signal: null, stdout: `${lines.join('\n')}\n`, stderr: '' };
      await assertOnEnds(expected, (node) => run(node, args));
    });
  }
});
