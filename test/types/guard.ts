// The options of uv-scheduler/guard, as programs write them.

import { guard, type GuardOptions } from 'uv-scheduler/guard';
import { createAdmission, type RouteCounts } from 'uv-scheduler/http';

interface Request { url: string; socket: { remoteAddress: string } }
declare const own: { listen(port: number): void };

const options: GuardOptions<Request> = {
  mode: 'enforce',
  priorities: [{ match: 'POST /orders/:id', priority: 'user-blocking' }],
  key: ({ socket }) => socket.remoteAddress,
  refuseAfter: { 'user-visible': 100 },
  health: { port: 0 },
};

guard(own, options).listen(0);

// @ts-expect-error There is no such mode.
guard(own, { mode: 'on' });

// @ts-expect-error A key has a kind.
guard(own, { key: 'tenant' });

const admission = createAdmission({
  observe: ({ url }: Request) => url === '/',
  fairnessKey: 'route',
  refusal: { status: 503, shareStatus: 429, headers: { 'X-Shed': 'yes' } },
  maxHeap: 0.9,
});

export const rows: RouteCounts[] = admission.routes();
