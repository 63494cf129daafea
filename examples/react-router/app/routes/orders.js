// A route without a component: an export that is made while it is sent.

import { pieces } from 'uv-scheduler';
import { ALL_MONTHS, summarise } from '../orders.js';

async function* linesOf(months) {
  let count = 0;
  try {
    for await (const month of months) {
      const { name, sales } = summarise(month);
      yield sales.map(([product, sum]) => `${name},${product},${sum}\n`).join('');
      count += 1;
    }
  } finally {
    if (count < ALL_MONTHS) {
      console.log(`/orders.csv: the client left; ${count} of ${ALL_MONTHS} months were exported`);
    }
  }
}

// The stream that reads the lines belongs to no task. The pieces have the priority and the signal
// of the request, because they are made here.
export function loader() {
  const months = pieces(Array(ALL_MONTHS).keys());
  const body = ReadableStream.from(linesOf(months)).pipeThrough(new TextEncoderStream());
  return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8' } });
}
