'use strict';

// Whose time the rendering of a section is, for monitors and reports. React renders in immediates
// of its own.

const assert = require('node:assert/strict');
const { scheduler } = require('../../..');
const { page, render } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');
const { enabledMonitor, firstReport, separateTests } = require('../../helpers/watch.js');

describe('the time of a section', () => {
  separateTests();

  it('is that of its priority, also beside sections of another one', async () => {
    const spent = { 'user-blocking': 0, 'user-visible': 0, 'background': 0 };
    const names = Object.keys(spent);
    const monitor = enabledMonitor();
    await scheduler.postTask(() => render(page(6, (number) => {
      const start = performance.now();
      busy(5);
      spent[names[number % 3]] += performance.now() - start;
    }, (number) => ({ priority: names[number % 3] }))));
    const { time, labels } = monitor;
    for (const name of names) {
      assert.ok(time[name] >= spent[name], `${name}: ${time[name]} of ${spent[name]} ms`);
      const { max } = labels.find(({ label, priority }) => {
        return label === 'Scheduled' && priority === name;
      });
      assert.ok(max >= 5, `${name}: ${max}`);
    }
  });

  it('is that of the task in which React renders at once', async () => {
    const { prerenderToNodeStream } = require('react-dom/static');
    let spent = 0;
    const monitor = enabledMonitor();
    await scheduler.postTask(() => prerenderToNodeStream(page(4, () => {
      const start = performance.now();
      busy(5);
      spent += performance.now() - start;
    })), { priority: 'background' });
    assert.ok(monitor.time.background >= spent, `${monitor.time.background} of ${spent} ms`);
  });

  it('is charged to the key of its task, also if the task has ended', async () => {
    const monitor = enabledMonitor();
    await new Promise((resolve) => {
      const start = () => void render(page(1, () => busy(100))).then(resolve);
      scheduler.postTask(start, { fairnessKey: 'of a page' });
    });
    const { time } = monitor.keys.find(({ key }) => key === 'of a page');
    // A key is charged for what the thread gets of a shared processor.
    assert.ok(time >= 20, `${time} ms`);
  });

  it('is reported as a task', async () => {
    const isWanted = ({ type, kind }) => type === 'duration' && kind === 'task';
    const reported = firstReport(isWanted, { duration: 20 });
    await render(page(1, () => busy(25), () => ({ priority: 'background' })));
    const { label, priority, duration } = await reported;
    assert.deepEqual([label, priority, duration >= 25], ['Scheduled', 'background', true]);
  });
});
