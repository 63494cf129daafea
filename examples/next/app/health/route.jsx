export const dynamic = 'force-dynamic';

// Costs nothing, so it needs no task: the report and the export give way when the request has come.
export async function GET() {
  return new Response('ok\n');
}
