// A checkout is served first, however many pages wait: its class is user-blocking.

import { summarise } from '../utils/orders.js';

export default defineEventHandler((event) => {
  setResponseStatus(event, 201);
  const [[product]] = summarise(599).sales;
  return `Thank you. Others bought a ${product}.\n`;
});
