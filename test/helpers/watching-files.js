'use strict';

// The dashboard and the alert rules of docs/watching/, as text.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./docs.js');

const FOLDER = path.join(ROOT, 'docs', 'watching');

const read = (name) => fs.readFileSync(path.join(FOLDER, name), 'utf8');

function dashboard() {
  return JSON.parse(read('grafana-dashboard.json'));
}

// The queries of all panels, with what Grafana would put in the place of its variables.
function dashboardQueries({ range }) {
  return dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) =>
    expr.replaceAll('$__rate_interval', range).replace(/\$(?:job|instance)\b/g, '.*')));
}

// The labels that OpenTelemetry's attributes become in Prometheus have a prefix. But for that its
// rules, and their tests, are those for collectTaskMetrics().
function forOpenTelemetry(text) {
  const own = /\b(priority|outcome|state|reason|place|route)\b/g;
  const prefixed = (part) => part.replace(own, 'uv_scheduler_$1');
  return text
    .replace('the metrics of uv-scheduler/prometheus', 'the metrics of uv-scheduler/opentelemetry')
    .replaceAll(/\balerts\.(test\.)?yml/g, 'alerts-opentelemetry.$1yml')
    .replaceAll(/\$labels\.\w+/g, prefixed)
    .replaceAll(/\b(?:without|ignoring|by) \([^)]*\)/g, prefixed)
    .replaceAll(/\b\w+(?==~?")/g, prefixed)
    .replaceAll(/exp_labels: \{[^}]*\}/g, prefixed);
}

module.exports = { FOLDER, dashboard, dashboardQueries, forOpenTelemetry, read };
