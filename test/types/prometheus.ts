// The declarations of uv-scheduler/prometheus.

import { Registry, register } from 'prom-client';
import { collectTaskMetrics, type CollectTaskMetricsOptions } from 'uv-scheduler/prometheus';
import type { TaskWatcher } from 'uv-scheduler/watch';

export function collections(): void {
  const own = new Registry();
  const options: (CollectTaskMetricsOptions | null | undefined)[] = [
    undefined, null, {}, { register }, { register: own }, { register: undefined },
    { prefix: 'shop_', labels: { team: 'search', shard: 7 } }, { labels: null },
    { maxTaskLabels: 20 },
  ];
  for (const each of options) {
    const collection: TaskWatcher = collectTaskMetrics(each);
    collection.stop();
  }
}

export function refused(): void {
  // @ts-expect-error: no register.
  collectTaskMetrics({ register: {} });
  // @ts-expect-error: no such option.
  collectTaskMetrics({ registers: [register] });
  // @ts-expect-error: no text.
  collectTaskMetrics({ prefix: 7 });
  // @ts-expect-error: no number.
  collectTaskMetrics({ maxTaskLabels: true });
  // @ts-expect-error: no label.
  collectTaskMetrics({ labels: { team: {} } });
}
