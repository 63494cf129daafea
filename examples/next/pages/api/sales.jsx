// An API route that sends a long export in pieces.

import { once } from 'node:events';
import { pieces, scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { PRIORITY_HEADER } from '../../classes.mjs';
import { nameOf, summarise } from '../../orders.mjs';

const MONTHS = 600;

function linesOf(month) {
  return summarise(month).map(([product, sum]) => `${nameOf(month)},${product},${sum}\n`).join('');
}

export default async function handler(request, response) {
  const priority = request.headers[PRIORITY_HEADER];
  const { signal } = controllerFor(response, { priority });
  let count = 0;
  async function send() {
    response.setHeader('content-type', 'text/csv; charset=utf-8');
    // Gives way when somebody else waits. Rejects when the client has left.
    for await (const month of pieces(Array(MONTHS).keys())) {
      const hasRoom = response.write(linesOf(month));
      count += 1;
      // For a client that reads slowly.
      if (!hasRoom) await once(response, 'drain', { signal });
    }
    response.end();
  }
  try {
    await scheduler.postTask(send, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    console.log(`/api/sales: the client left; ${count} of ${MONTHS} months were exported`);
  }
}
