'use strict';

// Whose time the rendering of a section is, for monitors and reports. React renders in immediates
// of its own.

const assert = require('node:assert/strict');
const { prerenderToNodeStream } = require('react-dom/static');
const { scheduler } = require('../../..');
const { useClock } = require('../../helpers/admission-clock.js');
const { page, render } = require('../../helpers/react.js');
const { busy } = require('../../helpers/tasks.js');
const { collectReports, enabledMonitor, separateTests } = require('../../helpers/watch.js');

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
      const { max } = labels.find(({ label, priority }) =>
        label === 'Scheduled' && priority === name);
      assert.ok(max >= 5, `${name}: ${max}`);
    }
  });
});

describe('the time of a section, on the clock of a test,', () => {
  separateTests();
  const test = useClock();

  // Resolves when React has ended, whose immediates are real.
  async function ended(rendered) {
    let isOver = false;
    rendered.then(() => (isOver = true));
    while (!isOver) await test.flush();
    // The step of the last immediate.
    await test.flush();
  }

  it('is that of the task in which React renders at once', async () => {
    const monitor = enabledMonitor();
    await ended(scheduler.postTask(() => prerenderToNodeStream(page(4, () => test.spend(5))), {
      priority: 'background',
    }));
    assert.equal(monitor.time.background, 20);
  });

  it('is charged to the key of its task, also if the task has ended', async () => {
    const monitor = enabledMonitor();
    await ended(new Promise((resolve) => {
      const start = () => void render(page(1, () => test.spend(100))).then(resolve);
      scheduler.postTask(start, { fairnessKey: 'of a page' });
    }));
    assert.equal(monitor.keys.find(({ key }) => key === 'of a page').time, 100);
  });

  it('is reported as a task', async () => {
    const reports = collectReports({ duration: 20 });
    await ended(render(page(1, () => test.spend(25), () => ({ priority: 'background' }))));
    const found = reports.map(({ type, kind, label, priority, duration }) =>
      [type, kind, label, priority, duration]);
    assert.deepEqual(found, [['duration', 'task', 'Scheduled', 'background', 25]]);
  });
});
