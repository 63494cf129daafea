// A checkout is served first, however many pages wait: its class is user-blocking.

import { scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { PRIORITY_HEADER } from '../../classes.mjs';
import { summarise } from '../../orders.mjs';

export async function POST(request) {
  const priority = request.headers.get(PRIORITY_HEADER);
  const { signal } = controllerFor(request.signal, { priority });
  const [best] = await scheduler.postTask(() => summarise(599), { signal });
  return new Response(`Thank you. Others bought a ${best[0]}.\n`, { status: 201 });
}
