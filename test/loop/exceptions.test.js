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
      const host = require(`${root}/lib/loading/host.js`);
      const { loadBinding } = host;
      const refuse = () => { throw new Error('refused'); };
      host.loadBinding = () => ({ ...loadBinding(), postOnTerms: refuse });
      const { onIdle, scheduler } = require(`${root}/lib/api.js`);
      await scheduler.postTask(() => {}, { delay: 1 }).catch(({ message }) => console.log(message));
      await scheduler.postTask(() => console.log('posted'));
      await onIdle();
      console.log('idle');
    });
    assert.deepEqual(lines, ['refused', 'posted', 'idle']);
  }).timeout(LIMIT);
});
