// A route handler that streams an export in pieces.

import { scheduler, shouldYield } from 'uv-scheduler';
import { taskController } from 'uv-scheduler/http';
import { PRIORITY_HEADER } from '../../classes.mjs';
import { nameOf, summarise } from '../../orders.mjs';

export const dynamic = 'force-dynamic';

const MONTHS = 600;

// The stream that reads it calls this piece by piece, so it belongs to no task, and says which
// signal its continuations have.
async function* lines(signal) {
  let count = 0;
  try {
    while (count < MONTHS) {
      const name = nameOf(count);
      const sales = summarise(count++);
      yield sales.map(([product, sum]) => `${name},${product},${sum}\n`).join('');
      // Goes straight on while nobody else waits. Rejects when the client has left.
      if (shouldYield()) await scheduler.yield({ signal });
    }
  } finally {
    if (count < MONTHS) {
      console.log(`/orders.csv: the client left; ${count} of ${MONTHS} months were exported`);
    }
  }
}

export async function GET(request) {
  const priority = request.headers.get(PRIORITY_HEADER);
  const { signal } = taskController(request.signal, { priority });
  const body = ReadableStream.from(lines(signal)).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8' } });
}
