// A route handler on the edge runtime, where the package cannot work.

import { pieces } from 'uv-scheduler';

export const runtime = 'edge';

export async function GET() {
  let text = '';
  for await (const letter of pieces('edge')) text += letter;
  return new Response(text);
}
