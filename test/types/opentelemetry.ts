// The declarations of uv-scheduler/opentelemetry.

import { metrics, trace } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { instrumentTasks, type InstrumentTasksOptions } from 'uv-scheduler/opentelemetry';
import type { TaskWatcher } from 'uv-scheduler/watch';

export function instrumentations(): void {
  const options: (InstrumentTasksOptions | null | undefined)[] = [
    undefined, null, {},
    { meterProvider: new MeterProvider(), tracerProvider: new BasicTracerProvider() },
    { meterProvider: metrics.getMeterProvider(), tracerProvider: trace.getTracerProvider() },
    { meterProvider: null, tracerProvider: null, maxTaskLabels: 20 },
    { filter: ({ label, startedAt, queuedAt }) => label !== '' || startedAt! > queuedAt + 10 },
  ];
  for (const each of options) {
    const instrumentation: TaskWatcher = instrumentTasks(each);
    instrumentation.stop();
  }
}

export function refused(): void {
  // @ts-expect-error: no provider.
  instrumentTasks({ meterProvider: {} });
  // @ts-expect-error: a meter is no provider.
  instrumentTasks({ meterProvider: metrics.getMeter('app') });
  // @ts-expect-error: no function.
  instrumentTasks({ filter: 'render' });
  // @ts-expect-error: no number.
  instrumentTasks({ maxTaskLabels: true });
  // @ts-expect-error: no such option.
  instrumentTasks({ tracer: trace.getTracer('app') });
}
