// A route that blocks the thread, for uv-scheduler/report.

// Takes processor time, so that a machine that stands still takes none of it.
function plantedSearch(ms) {
  const begun = process.cpuUsage();
  let sum = 0;
  for (;;) {
    for (let i = 0; i < 5_000_000; i++) sum += Math.sqrt(i);
    const { user, system } = process.cpuUsage(begun);
    if (user + system > ms * 1000) return sum;
  }
}

export function GET(request) {
  const ms = Number(new URL(request.url).searchParams.get('ms'));
  return new Response(`${plantedSearch(ms) > 0}`);
}
