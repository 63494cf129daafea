'use strict';

// The thread that samples the main thread: it reads the context of the code that runs, and changes
// nothing else of a program.
// @lane waiting
// @host programs

const assert = require('node:assert/strict');
const { createHook } = require('node:async_hooks');
const path = require('node:path');
const { isDeepStrictEqual } = require('node:util');
const { reportSlowTasks } = require('uv-scheduler/watch');
const { shared } = require('../../lib/watch/channels.js');
const { FIXTURES, LIMIT, assertOnEachNode, run, testTogether } = require('../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'sampler.js');
const SLOW = 4 * LIMIT;

const prints = (value) => ({ code: 0, signal: null, stdout: JSON.stringify(value), stderr: '' });

describe('a sampler', () => {
  testTogether([PROGRAM, 'together'], {
    'reads the context of the code that runs': [],
    'samples for those users that are busy': [false, true, false, false],
    'runs no microtask and no tick early': [],
    'leaves nothing when its last user has stopped': true,
  });

  it('asks for no tick while Node changes the queue of ticks, which would lose ticks', () => {
    const { stop } = reportSlowTasks(() => {}, { stacks: true });
    const types = [];
    const init = (id, type) => {
      if (type !== 'TickObject' && type !== 'Microtask') return;
      if (types.push(type) === 1) shared.sampler.sampleStack();
    };
    const hook = createHook({ init }).enable();
    process.nextTick(() => {});
    hook.disable();
    stop();
    assert.deepEqual(types, ['TickObject', 'Microtask']);
  });

  it('reads no stack while V8 makes one for the program', () => {
    const { stop } = reportSlowTasks(() => {}, { stacks: true });
    const { prepareStackTrace } = Error;
    const readStack = () => shared.sampler.sampleStack();
    Error.prepareStackTrace = readStack;
    const { stack: answer } = new Error('with a stack');
    Error.prepareStackTrace = prepareStackTrace;
    const [isRead, isEmpty] = [0, 2];
    assert.deepEqual([readStack(), answer], [isRead, isEmpty]);
    stop();
  });

  it('does not sample while the port of the inspector is open', async () => {
    await assertOnEachNode(prints(true), async (node) => {
      return { ...(await run(node, [PROGRAM, 'inspected'])), stderr: '' };
    });
  }).timeout(SLOW);

  it('reads no stack while the port of the inspector is open', async () => {
    await assertOnEachNode(prints([true, false, true]), async (node) => {
      return { ...(await run(node, [PROGRAM, 'inspectedStacks'])), stderr: '' };
    });
  }).timeout(SLOW);

  it('reads stacks at once in a process that has idled for long', async () => {
    await assertOnEachNode(prints(true), (node) => run(node, [PROGRAM, 'idled']));
  }).timeout(SLOW);

  const permitting = (...more) => ({ major }) => {
    const flag = major < 23 ? '--experimental-permission' : '--permission';
    return ['--no-warnings', flag, '--allow-fs-read=*', '--allow-addons', ...more];
  };

  for (const [title, thread, flags] of [
    ['in a worker', 'worker', () => []],
    ['without the permission for threads', 'main', permitting()],
    ['without the permission for the inspector', 'main', permitting('--allow-worker')],
  ]) {
    it(`is off ${title}`, async () => {
      await assertOnEachNode(prints(true), (node) => {
        return run(node, [...flags(node), PROGRAM, 'off', thread]);
      });
    }).timeout(SLOW);
  }

  for (const way of ['natural', 'exit', 'throw', 'reject', 'kill', 'handler']) {
    it(`does not change the end of a process: ${way}`, async () => {
      await assertOnEachNode(true, async (node) => {
        const [expected, ...found] = await Promise.all(['nothing', 'contexts', 'stacks']
          .map((sampled) => run(node, [PROGRAM, 'end', way, sampled])));
        const isSame = found.every((each) => isDeepStrictEqual(each, expected));
        return isSame || { found, expected };
      });
    }).timeout(SLOW);
  }
});
