'use strict';

// Packages that use the web's scheduler or idle callbacks, on the globals that register installs.
// Their programs are in clients/programs/. Each one logs in which order its callbacks ran, and that
// the package called the functions of register.

const path = require('node:path');
const { ROOT, assertOnEnds, order, run } = require('../helpers/loop.js');

const PROGRAMS = path.join(__dirname, 'clients', 'programs');
const REGISTER = ['--require', path.join(ROOT, 'register.js')];

// Runs a program on every Node version. It must end by itself.
async function assertOrder(program, lines, { before = REGISTER, after = [] } = {}) {
  const expected = lines.join(' ');
  const args = [...before, path.join(PROGRAMS, program), ...after];
  await assertOnEnds(expected, (node) => order(node, args, expected));
}

describe('React on the registered globals', () => {
  it('scheduler/unstable_post_task runs its callbacks by their priority', async () => {
    await assertOrder('react-scheduler.js', [
      // Its user-blocking tasks come before a timer that is due, and what yields goes on before
      // other tasks of its priority, but behind an immediate once the time slice is used up.
      'blocking:2', 'urgent:1', 'timer', 'low:4', 'normal:3', 'shouldYield:true', 'immediate',
      'continuation:3', 'normal:3', 'idle:5',
      'delayed:{"postTask":8,"yield":1,"requestIdleCallback":0}',
    ]);
  });

  it('react-dom handles urgent updates in the middle of a transition', async () => {
    await assertOrder('react-dom.js', [
      'count 0', 'list 0', 'interrupted', 'count 1', 'count 2', 'list 1', '99.1', 'posted',
      'yielded', 'loading', 'details',
    ]);
  }).timeout(120_000);
});

describe('other clients of the registered globals', () => {
  it('main-thread-scheduling waits behind background tasks and lets timers run', async () => {
    await assertOrder('main-thread-scheduling.js', [
      'user-blocking', 'user-visible', 'background', 'idle', 'requested', 'timers ran',
      'time to yield: true', 'AbortError',
    ]);
  });

  it('shims of requestIdleCallback take the registered one', async () => {
    const lines = ['ours', 'ours', 'ours', 'ours', 'background', 'shim:false', 'idle'];
    await assertOrder('idle-shims.js', lines, { before: [] });
  });

  it('shims of requestIdleCallback that were loaded before register are kept', async () => {
    const lines = ['theirs', 'theirs', 'theirs', 'ours', 'shim:false', 'idle'];
    await assertOrder('idle-shims.js', lines, { before: [], after: ['first'] });
  });

  it('OpenTelemetry’s context and spans are those of the call, in chains, too', async () => {
    const args = [...REGISTER, path.join(PROGRAMS, 'opentelemetry.js')];
    // The number of its checks.
    const expected = { code: 0, signal: null, stdout: '292\n', stderr: '' };
    await assertOnEnds(expected, (node) => run(node, args));
  });

  it('scheduler-polyfill keeps the registered scheduler', async () => {
    await assertOrder('scheduler-polyfill.js', [
      'kept', 'kept', 'kept', 'untouched', 'user-blocking', 'timer', 'user-visible', 'background',
    ]);
  });
});
