// What the declarations of uv-scheduler/prometheus must accept and refuse. This file is only
// compiled, never run: compilation fails if a line that is marked with `@ts-expect-error` is
// accepted.

import { Registry, register } from 'prom-client';
import {
  collectTasks, type CollectTasksOptions, type TaskCollection,
} from 'uv-scheduler/prometheus';

export function collections(): void {
  const own = new Registry();
  const options: (CollectTasksOptions | null | undefined)[] = [
    undefined, null, {}, { register }, { register: own }, { register: undefined },
    { prefix: 'shop_', labels: { team: 'search', shard: 7 } }, { labels: null },
    { taskLabels: 20 },
  ];
  for (const each of options) {
    const collection: TaskCollection = collectTasks(each);
    collection.stop();
  }
}

export function refused(): void {
  // @ts-expect-error: no register.
  collectTasks({ register: {} });
  // @ts-expect-error: no such option.
  collectTasks({ registers: [register] });
  // @ts-expect-error: no text.
  collectTasks({ prefix: 7 });
  // @ts-expect-error: no number.
  collectTasks({ taskLabels: true });
  // @ts-expect-error: no label.
  collectTasks({ labels: { team: {} } });
}
