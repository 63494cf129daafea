'use strict';

// Packages that use the web's scheduler, on the globals that register installs. Their programs are
// in clients/programs/. Each one logs in which order its callbacks ran.

const path = require('node:path');
const { ROOT, assertOnEnds, order, run } = require('../helpers/loop.js');

const programOf = (name) => path.join(__dirname, 'clients', 'programs', `${name}.js`);
const REGISTER = ['--require', path.join(ROOT, 'register.js')];

describe('on the registered globals', () => {
  // A program runs on the oldest and the newest Node. It must end by itself.
  for (const [title, { args, lines }] of Object.entries({
    'React’s scheduler/unstable_post_task runs its callbacks by their priority': {
      args: [...REGISTER, programOf('react-scheduler')],
      // Its user-blocking tasks come before a timer that is due, and what yields goes on before
      // other tasks of its priority, but behind an immediate once the time slice is used up.
      lines: ['blocking:2', 'urgent:1', 'timer', 'low:4', 'normal:3', 'shouldYield:true',
        'immediate', 'continuation:3', 'normal:3', 'idle:5',
        'delayed:{"postTask":8,"yield":1}'],
    },
    'scheduler-polyfill keeps the registered scheduler': {
      args: [...REGISTER, programOf('scheduler-polyfill')],
      lines: ['kept', 'kept', 'kept', 'untouched', 'user-blocking', 'timer', 'user-visible',
        'background'],
    },
  })) {
    it(title, async () => {
      const expected = lines.join(' ');
      await assertOnEnds(expected, (node) => order(node, args, expected));
    });
  }

  it('OpenTelemetry’s context and spans are those of the call, in chains, too', async () => {
    const args = [...REGISTER, programOf('opentelemetry')];
    // The number of its checks.
    const expected = { code: 0, signal: null, stdout: '20\n', stderr: '' };
    await assertOnEnds(expected, (node) => run(node, args));
  });
});
