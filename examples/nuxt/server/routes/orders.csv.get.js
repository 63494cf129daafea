// An export, which is made while it is sent.

import { Readable } from 'node:stream';
import { pieces } from 'uv-scheduler';
import { summarise } from '../utils/orders.js';

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

export default defineEventHandler((event) => {
  setHeader(event, 'content-type', 'text/csv; charset=utf-8');
  const { signal } = event.context;
  // h3 pipes the stream and does not close it when the client has left: the signal does. The
  // stream then has an error, which may come before h3 listens for it.
  return Readable.from(lines(signal), { signal }).on('error', () => {});
});
