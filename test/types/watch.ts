// The declarations of what watches tasks.

import {
  monitorTasks, reportSlowTasks, traceTasks, type LabelTime, type LongWait, type LostPriority,
  type MonitorTasksOptions, type SlowCallback, type LongestCallback, type TaskMessage,
  type TaskMonitor, type TaskPriorityStatistics, type TaskWatcher, type ThreadTime,
} from 'uv-scheduler/watch';

type Utilization = ReturnType<TaskMonitor['utilization']>;

export function watch(): void {
  const monitor: TaskMonitor = monitorTasks();
  const isNew: boolean = monitor.enable();
  const { wait, duration, queued, oldest, running, completed, failed, aborted }:
    TaskPriorityStatistics = monitor.priorities['user-visible'];
  const numbers: number[] = [queued, oldest, running, completed, failed, aborted, wait.sum];
  const above: number = duration.buckets.filter(({ le, count }) => le < 1 && count > 0).length;
  const p99: number = wait.percentile(99);
  const before: Utilization = monitor.utilization();
  const { background, other, idle }: Utilization = monitor.utilization(before);
  const time: ThreadTime = monitor.time;
  const { container, machine }: TaskMonitor['heldTime'] = monitor.heldTime;
  const reason: 'container' | 'machine' | null = monitor.heldFor;
  const slow: LongestCallback | undefined = monitor.longest[0];
  const top: LabelTime[] = monitor.labels;
  const [{ label, priority, count, max }] = top;
  const options: (MonitorTasksOptions | null | undefined)[] = [
    undefined, null, {}, { window: 60_000 }, { window: Infinity }, { window: undefined },
  ];
  for (const each of options) monitorTasks(each);
  const plain: ReturnType<TaskMonitor['toJSON']> = monitor.toJSON();
  const { percentiles: { '99.9': rare, 100: most } } = plain.priorities.background.wait;
  const all = [monitor.priorities.background.toJSON(), monitor.priorities.background.wait.toJSON()];
  void [rare + most, all, slow?.startedAt];
  const wasEnabled: boolean = monitor.disable();
  monitor.reset();
  monitor[Symbol.dispose]();
  const { stop }: TaskWatcher = traceTasks('trace.${pid}.json', { signal: AbortSignal.timeout(1) });
  stop();
  void [isNew, numbers, above, p99, background, other, idle, time, slow?.label, wasEnabled];
  void [container, machine, reason, label, priority, count * max];
}

export function watchForThisFunction(): void {
  using trace = traceTasks('trace.json');
  void trace;
  using monitor = monitorTasks();
  monitor.enable();
}

export function onMessage(message: TaskMessage): string {
  const started: number = message.startedAt ?? NaN;
  return `${message.id} of ${message.parentId} (${message.priority}): ${started}, ${message.label}`;
}

export function report(signal: AbortSignal): void {
  reportSlowTasks((each) => {
    if (each.type === 'duration') {
      const slow: SlowCallback = each;
      const names: string[] = slow.functions?.map(({ functionName }) => functionName) ?? [];
      const stacks: (string | undefined)[] = slow.stuck?.map(({ stack }) => stack) ?? [];
      void [names, slow.stack?.[0].total, slow.duration, stacks, slow.stuck?.[0].duration];
    } else if (each.type === 'priority') {
      const lost: LostPriority = each;
      const inherited: 'background' | 'user-blocking' = lost.inherited;
      void [inherited, lost.place];
    } else {
      const late: LongWait = each;
      const [{ kind, label, share }] = late.waitedFor;
      const hint: 'fairnessKey' | undefined = late.hint;
      void [kind === 'garbage-collection', kind === 'unknown', label, share, late.wait, hint];
    }
  }, { duration: 50, wait: 1000, stacks: true, stuckAfter: 5000, signal });
  reportSlowTasks(() => {});
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
  monitor.heldTime = { container: 0, machine: 0 };
}
