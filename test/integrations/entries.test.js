'use strict';

// The subpath exports in ES modules.

const { LIMIT, ROOT, assertOnEachNode, run } = require('../helpers/loop.js');

const NAMES = {
  bullmq: ['IdleWorker'],
  guard: ['guard'],
  health: ['serveHealth'],
  http: ['controllerFor', 'createAdmission', 'shutDown'],
  opentelemetry: ['instrumentTasks'],
  prometheus: ['collectTaskMetrics'],
  react: ['Scheduled'],
  testing: ['createTestScheduler', 'guarantees', 'seeds'],
  watch: ['monitorTasks', 'reportSlowTasks', 'traceTasks'],
};

describe('each subpath export', () => {
  for (const flags of [[], ['--conditions=react-server']]) {
    const title = 'can be imported by name, and shares the classes and tasks of the package';
    it([title, ...flags].join(' '), async () => {
      const code = `
        const { TaskController, scheduler } = await import('uv-scheduler');
        const names = {};
        for (const each of ${JSON.stringify(Object.keys(NAMES))}) {
          const found = Object.keys(await import('uv-scheduler/' + each));
          names[each] = found.filter((name) => !/^(default|module.exports)$/.test(name)).sort();
        }
        const { controllerFor } = await import('uv-scheduler/http');
        const isShared = controllerFor(new AbortController().signal) instanceof TaskController;
        const monitor = (await import('uv-scheduler/watch')).monitorTasks();
        monitor.enable();
        await scheduler.postTask(() => {});
        const { completed } = monitor.priorities['user-visible'];
        process.stdout.write(JSON.stringify([names, isShared, completed]), () => process.exit());`;
      const stdout = JSON.stringify([NAMES, true, 1]);
      await assertOnEachNode({ code: 0, signal: null, stdout, stderr: '' }, (node) => {
        return run(node, [...flags, '--input-type=module', '-e', code], { cwd: ROOT });
      });
    }).timeout(4 * LIMIT);
  }
});
