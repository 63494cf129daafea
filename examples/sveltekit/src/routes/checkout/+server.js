// A checkout is served first, however many pages wait: its class is user-blocking.

import { summarise } from '../../orders.js';

export function POST() {
  const [[product]] = summarise(599).sales;
  return new Response(`Thank you. Others bought a ${product}.\n`, { status: 201 });
}
