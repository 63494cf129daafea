// A page that shows the order of tasks.

import { order } from '../order.mjs';

export const dynamic = 'force-dynamic';

export default async function Page() {
  return <p>{await order()}</p>;
}
