// Stands for uv-scheduler/health: nothing answers probes but the server itself.

export function serveHealth() {}
