// A route handler that answers with the order of tasks.

import { connection } from 'next/server';
import { order } from '../../order.mjs';

export async function GET() {
  await connection();
  return new Response(await order());
}
