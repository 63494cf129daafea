// Stands for uv-scheduler/prometheus.

export function collectTaskMetrics() {}
