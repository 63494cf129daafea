// A route handler that answers with the order of tasks.

import { order } from '../../order.mjs';

export const dynamic = 'force-dynamic';

export async function GET() {
  return new Response(await order());
}
