// An export, which is made while it is sent.

import { pieces } from 'uv-scheduler';
import { summarise } from '../orders.js';

const MONTHS = 600;

function linesOf({ name, sales }) {
  return sales.map(([product, sum]) => `${name},${product},${sum}\n`).join('');
}

// The stream that reads it calls this piece by piece, so it belongs to no task, and says which
// signal its pieces have. They give way when somebody else waits, and end when the client has left.
async function* lines(signal) {
  let count = 0;
  try {
    for await (const month of pieces(Array(MONTHS).keys(), { signal })) {
      yield linesOf(summarise(month));
      count += 1;
    }
  } finally {
    if (count < MONTHS) {
      console.log(`/orders.csv: the client left; ${count} of ${MONTHS} months were exported`);
    }
  }
}

export function GET({ locals }) {
  const body = ReadableStream.from(lines(locals.signal)).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8' } });
}
