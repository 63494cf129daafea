// Which tenant a request has, and which share of the thread. A real application asks its session:
// anybody can write a header.

// Agents have a quarter of what one tenant has. As background work they would have what people
// leave, so nothing while people fill the process.
export const CRON = 'cron';
const SHARES = new Map([[CRON, 0.25]]);

export const tenantOf = ({ headers }) => `tenant ${headers['x-tenant'] ?? ''}`.slice(0, 100);

export const weightOf = (tenant) => SHARES.get(tenant) ?? 1;

export const keyOf = (tenant) => ({ fairnessKey: tenant, fairnessWeight: weightOf(tenant) });

// The options of a tool call of a turn. A person waits for it, and it is short: as user-visible
// work it would wait for a turn of the loop after some pieces. What is long, such as a compaction,
// is not urgent, or a flood of one tenant would leave nothing to agents.
export const callOf = (tenant) =>
  (tenant === CRON ? keyOf(tenant) : { ...keyOf(tenant), priority: 'user-blocking' });
