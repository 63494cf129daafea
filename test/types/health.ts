// The declarations of uv-scheduler/health.

import { serveHealth, type Health, type HealthOptions } from 'uv-scheduler/health';
import { createAdmission } from 'uv-scheduler/http';

export async function serve(): Promise<void> {
  const all: HealthOptions = {
    port: '9000', host: '::', stuckAfter: 1000, ready: async () => true,
    admission: createAdmission(),
  };
  for (const options of [undefined, null, {}, { port: 9000 }, { ready: () => false }, all]) {
    const health: Health = serveHealth(options);
    const url: string = health.url;
    void url;
    await health.stop();
  }
  // @ts-expect-error: no such option.
  serveHealth({ stuckafter: 1 });
  // @ts-expect-error: no admission.
  serveHealth({ admission: {} });
}
