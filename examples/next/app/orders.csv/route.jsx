// A route handler that streams an export in pieces.

import { pieces } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { PRIORITY_HEADER } from '../../classes.mjs';
import { nameOf, summarise } from '../../orders.mjs';

export const dynamic = 'force-dynamic';

const MONTHS = 600;

// The stream that reads it calls this piece by piece, so it belongs to no task, and says which
// signal its pieces have. They give way when somebody else waits, and end when the client has left.
async function* lines(signal) {
  let count = 0;
  try {
    for await (const month of pieces(Array(MONTHS).keys(), { signal })) {
      const name = nameOf(month);
      yield summarise(month).map(([product, sum]) => `${name},${product},${sum}\n`).join('');
      count += 1;
    }
  } finally {
    if (count < MONTHS) {
      console.log(`/orders.csv: the client left; ${count} of ${MONTHS} months were exported`);
    }
  }
}

export async function GET(request) {
  const priority = request.headers.get(PRIORITY_HEADER);
  const { signal } = controllerFor(request.signal, { priority });
  const body = ReadableStream.from(lines(signal)).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8' } });
}
