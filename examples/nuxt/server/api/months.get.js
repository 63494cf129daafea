// The data of the report, prepared in pieces.

import { pieces } from 'uv-scheduler';
import { summarise } from '../utils/orders.js';

const MONTHS = 300;

export default defineEventHandler(async () => {
  const months = [];
  try {
    for await (const month of pieces(Array(MONTHS).keys())) months.push(summarise(month));
  } finally {
    if (months.length < MONTHS) {
      console.log(`/report: the visitor left; ${months.length} of ${MONTHS} months were prepared`);
    }
  }
  return months;
});
