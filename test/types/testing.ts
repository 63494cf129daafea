// The declarations of uv-scheduler/testing.

import type { Scheduler, TaskPriority } from 'uv-scheduler';
import {
  createTestScheduler, guarantees, seeds, type Guarantees, type TestEvent, type TestScheduler, type
  TestSchedulerOptions,
} from 'uv-scheduler/testing';

export async function testing(): Promise<void> {
  const options: TestSchedulerOptions[] = [
    {}, { seed: 1 }, { seed: undefined }, { maxTasks: 10 },
    { advanceTimers: (ms: number) => ms }, { advanceTimers: async () => {} },
  ];
  for (const each of options) {
    const test: TestScheduler = createTestScheduler(each);
    const scheduler: Scheduler = test.scheduler;
    void scheduler.postTask(() => 1);
    const controller = new test.TaskController({ priority: 'background' });
    controller.setPriority('user-visible');
    test.spend(2.5);
    await test.advance(10);
    await test.flush();
    await test.flush('user-visible');
    await test.runAll();
    const now: number = test.now;
    const seed: number | undefined = test.seed;
    const events: readonly TestEvent[] = test.trace;
    const priorities: TaskPriority[] = events.map(({ priority }) => priority);
    void [now, seed, priorities];
    const { stop } = test;
    stop();
  }
  for (const seed of seeds(100)) createTestScheduler({ seed }).stop();
  for (const seed of seeds(100, 7)) void seed;
  // @ts-expect-error: no number
  createTestScheduler({ seed: '1' });
  // @ts-expect-error: an unknown option
  createTestScheduler({ sead: 1 });
  // @ts-expect-error: no priority
  await createTestScheduler().flush('urgent');
  // @ts-expect-error: the count is missing
  seeds();
  const all: Guarantees = guarantees;
  // @ts-expect-error: it is frozen
  all.order = false;
}
