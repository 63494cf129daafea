// A function of AWS Lambda Managed Instances, where one thread has several invocations at a time: a
// short one does not wait for a long one.

import { pieces, scheduler } from 'uv-scheduler';

export function handler({ tenant, rows }) {
  return scheduler.postTask(async () => {
    for await (const row of pieces(Array(rows).keys())) {
      for (const end = performance.now() + 1; performance.now() < end;); // Renders the row.
      if (row === rows - 1) return `${tenant}: ${rows}`;
    }
  }, { fairnessKey: tenant });
}

// To try it: what the runtime does with each thread.
const order = [];
const invoke = async (event) => order.push(await handler(event));
await Promise.all([invoke({ tenant: 'large', rows: 300 }), invoke({ tenant: 'small', rows: 3 })]);
console.log(order.join(', ')); // prints: small: 3, large: 300
