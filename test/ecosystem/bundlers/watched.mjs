// Prints which function a report of a slow task names. The bundlers take in this program; its
// function is a method, whose name they keep.

import { scheduler } from 'uv-scheduler';
import { monitorTasks, reportSlowTasks } from 'uv-scheduler/watch';

const work = {
  planted() {
    let sum = 0;
    for (let i = 0; i < 3e8; i++) sum += Math.sqrt(i);
    return sum;
  },
};

const monitor = monitorTasks();
monitor.enable();
const reports = reportSlowTasks(({ label, functions, stack }) => {
  if (label !== 'planted') return;
  const { completed } = monitor.priorities['user-visible'];
  const isInStack = stack.some(({ functionName }) => functionName === functions[0].functionName);
  console.log(functions[0].functionName, isInStack, completed);
  reports.stop();
}, { duration: 100, wait: Infinity, stacks: true });
scheduler.postTask(() => work.planted(), { label: 'planted' });
