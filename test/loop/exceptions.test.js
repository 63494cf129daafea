'use strict';

// Tasks that throw, never settle, or change waiting tasks while they run. The programs are in
// fixtures/scenarios/, named by the guarantees.
// @lane slow
// @host programs each-node

const assert = require('node:assert/strict');
const { LIMIT, hasRun, testScenarios } = require('../helpers/loop.js');
const { output } = require('../helpers/tasks.js');

describe('tasks that misbehave', () => testScenarios('exceptions'));

describe('a task that cannot be posted', () => {
  if (hasRun) return;

  it('leaves nothing behind that onIdle() waits for', async () => {
    const lines = await output(async (root) => {
      const { choose } = require(`${root}/lib/loading/host.js`);
      const addon = require(`${root}/lib/loading/addon.js`);
      let refuses = false;
      const loadBinding = () => {
        const { start, ...binding } = addon.loadBinding();
        return { ...binding, start: (calls, ...rest) => {
          const environment = start(calls, ...rest);
          const { flush } = calls;
          calls.flush = () => {
            if (refuses) throw new Error('refused');
            return flush();
          };
          return environment;
        } };
      };
      choose('addon', { loadBinding });
      const { onIdle, scheduler } = require(`${root}/lib/api.js`);
      const post = () => scheduler.postTask(() => {}, { priority: 'background' });
      const posted = [post()];
      refuses = true;
      // No more fit into the shared words.
      for (let i = 0; i < 300; i++) posted.push(post());
      refuses = false;
      const ends = await Promise.allSettled(posted);
      console.log([...new Set(ends.map(({ reason }) => reason?.message).filter(Boolean))].join());
      await scheduler.postTask(() => console.log('posted'));
      await onIdle();
      console.log('idle');
    });
    assert.deepEqual(lines, ['refused', 'posted', 'idle']);
  }).timeout(LIMIT);
});
