// A program that uses what watches tasks. It is only type-checked, never run.

import {
  monitorTasks,
  reportSlowTasks,
  traceTasks,
  type LabelTime,
  type LongWait,
  type MonitorTasksOptions,
  type SlowCallback,
  type LongestCallback,
  type TaskHeldTime,
  type TaskMessage,
  type TaskMonitor,
  type TaskMonitorJSON,
  type TaskPriorityStatistics,
  type ThreadTime,
  type TaskUtilization,
} from 'uv-scheduler';

export function watch(): void {
  const monitor: TaskMonitor = monitorTasks();
  const isNew: boolean = monitor.enable();
  const { delay, duration, queued, oldest, running, completed, failed, aborted }:
    TaskPriorityStatistics = monitor.priorities['user-visible'];
  const numbers: number[] = [queued, oldest, running, completed, failed, aborted, delay.sum];
  const above: number = duration.buckets.filter(({ le, count }) => le < 1 && count > 0).length;
  const p99: number = delay.histogram.percentile(99);
  const before: TaskUtilization = monitor.utilization();
  const { background, other, idle }: TaskUtilization = monitor.utilization(before);
  const time: ThreadTime = monitor.time;
  const { container, machine }: TaskHeldTime = monitor.held;
  const reason: 'container' | 'machine' | null = monitor.holding;
  const slow: LongestCallback | undefined = monitor.longest[0];
  const top: LabelTime[] = monitor.labels;
  const [{ label, priority, count, longest }] = top;
  const options: (MonitorTasksOptions | null | undefined)[] = [
    undefined, null, {}, { window: 60_000 }, { window: Infinity }, { window: undefined },
  ];
  for (const each of options) monitorTasks(each);
  const plain: TaskMonitorJSON = monitor.toJSON();
  const { percentiles: { '99.9': rare, 100: most } } = plain.priorities.background.delay;
  const all = [monitor.priorities.background.toJSON(), monitor.priorities.background.delay.toJSON()];
  void [rare + most, all, slow?.startedAt];
  const wasEnabled: boolean = monitor.disable();
  monitor.reset();
  monitor[Symbol.dispose]();
  traceTasks('trace.${pid}.json').stop();
  void [isNew, numbers, above, p99, background, other, idle, time, slow?.label, wasEnabled];
  void [container, machine, reason, label, priority, count * longest];
}

export function watchForThisFunction(): void {
  using monitor = monitorTasks();
  monitor.enable();
}

export function onMessage(message: TaskMessage): string {
  const started: number = message.startedAt ?? NaN;
  return `${message.id} of ${message.parentId} (${message.priority}): ${started}, ${message.label}`;
}

export function report(signal: AbortSignal): void {
  reportSlowTasks({ duration: 50, delay: 1000, stacks: true, signal }, (each) => {
    if (each.type === 'duration') {
      const slow: SlowCallback = each;
      const names: string[] = slow.functions?.map(({ functionName }) => functionName) ?? [];
      void [names, slow.stack?.[0].total, slow.duration];
    } else {
      const late: LongWait = each;
      const [{ kind, label, share }] = late.waitedFor;
      void [kind === 'garbage-collection', kind === 'unknown', label, share, late.delay];
    }
  });
  reportSlowTasks(undefined, () => {});
}

export function refused(monitor: TaskMonitor): void {
  // @ts-expect-error: needs a file.
  traceTasks();
  // @ts-expect-error: no number.
  monitorTasks({ window: '1 min' });
  // @ts-expect-error: no such option.
  monitorTasks({ windows: 1 });
  // @ts-expect-error: takes what an earlier call has returned.
  monitor.utilization({ idle: 1 });
  // @ts-expect-error: no priority.
  void monitor.priorities.high;
  // @ts-expect-error: read-only.
  monitor.longest = [];
  // @ts-expect-error: read-only.
  monitor.labels = [];
  // @ts-expect-error: read-only.
  monitor.held = { container: 0, machine: 0 };
}
