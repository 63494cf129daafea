'use strict';

// The dashboard and the alert rules of docs/observability/, as text.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./docs.js');

const FOLDER = path.join(ROOT, 'docs', 'observability');

const read = (name) => fs.readFileSync(path.join(FOLDER, name), 'utf8');

function dashboard() {
  return JSON.parse(read('grafana-dashboard.json'));
}

// The queries of all panels, with what Grafana would put in the place of its variables.
function dashboardQueries({ range }) {
  return dashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => {
    return expr.replaceAll('$__rate_interval', range).replace(/\$(?:job|instance)\b/g, '.*');
  }));
}

module.exports = { FOLDER, dashboard, dashboardQueries, read };
