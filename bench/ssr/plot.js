'use strict';

// Owns the pictures: latency by percentile, a panel for each number of pages at once without and
// with background work, a line for each strategy. Knows nothing of how anything was measured.

const fs = require('node:fs');
const path = require('node:path');

const { escapeAll } = require('../../examples/docs-site/markdown');

// Colours of Okabe and Ito, told apart by colour-blind people too; the dashes do it without colour.
const STYLES = {
  prioritized: { colour: '#0072b2', width: 3, dash: 'none' },
  immediate: { colour: '#d55e00', width: 2, dash: '9 3' },
  timers: { colour: '#009e73', width: 2, dash: '2 3' },
  polyfill: { colour: '#aa4499', width: 2, dash: '9 3 2 3' },
  unchunked: { colour: '#555555', width: 2, dash: '5 3' },
};

const PANEL = { width: 300, height: 230 };
const MARGIN = { top: 88, right: 24, bottom: 76, left: 74 };
const GAP = { x: 28, y: 62 };

const PERCENTILES = [0, 0.5, 0.9, 0.99, 0.999, 0.9999];
const KINDS = [['none', 'no background work'], ['index', 'with index rebuild']];

const nines = (p) => -Math.log10(1 - p);
const round = (value) => Math.round(value * 10) / 10;
const text = (x, y, content, attributes = '') =>
  `<text x="${round(x)}" y="${round(y)}" ${attributes}>${escapeAll(content)}</text>`;
const line = (x1, y1, x2, y2, attributes = '') =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" ${attributes}/>`;

// More labels than these would overlap on the latency axis.
const MAX_TICKS = 12;

/** 1, 2, 5, 10, … as far as they lie in the range, or fewer of them for a wide one. */
function ticksWithin(low, high) {
  let ticks;
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    ticks = [];
    for (let exponent = Math.floor(Math.log10(low)); 10 ** exponent <= high; exponent++) {
      ticks.push(...steps.map((step) => Number(`${step}e${exponent}`)));
    }
    ticks = ticks.filter((tick) => tick >= low && tick <= high);
    if (ticks.length <= MAX_TICKS) break;
  }
  return ticks;
}

/** One pair of axes for all panels, or they could not be compared. */
function createAxes(curves) {
  const points = curves.flat();
  const low = Math.min(...points.map(([, ms]) => ms)) / 1.15;
  const high = Math.max(...points.map(([, ms]) => ms)) * 1.15;
  const last = Math.max(...points.map(([p]) => nines(p)));
  const scale = Math.log(high / low);
  return {
    x: (p) => nines(p) / last * PANEL.width,
    y: (ms) => PANEL.height * (1 - Math.log(ms / low) / scale),
    percentiles: PERCENTILES.filter((p) => nines(p) <= last + 1e-6),
    latencies: ticksWithin(low, high),
  };
}

function drawGrid(axes, { isLeft, isBottom }) {
  const parts = [];
  for (const ms of axes.latencies) {
    const y = axes.y(ms);
    parts.push(line(0, y, PANEL.width, y, 'class="grid"'));
    if (isLeft) parts.push(text(-8, y + 4.5, String(ms), 'text-anchor="end"'));
  }
  for (const p of axes.percentiles) {
    const x = axes.x(p);
    parts.push(line(x, 0, x, PANEL.height, 'class="grid"'));
    const label = p === 0 ? 'min' : String(Number((p * 100).toFixed(2)));
    if (isBottom) parts.push(text(x, PANEL.height + 19, label, 'text-anchor="middle"'));
  }
  parts.push(`<rect width="${PANEL.width}" height="${PANEL.height}" class="frame"/>`);
  return parts;
}

function drawCurve(axes, { strategy, curve }) {
  const { colour, width, dash } = STYLES[strategy];
  const points = curve.map(([p, ms]) => `${round(axes.x(p))},${round(axes.y(ms))}`).join(' ');
  return `<polyline points="${points}" stroke="${colour}" stroke-width="${width}" `
    + `stroke-dasharray="${dash}"/>`;
}

function drawLegend(strategies) {
  let x = MARGIN.left;
  return strategies.flatMap(({ strategy, name }) => {
    const { colour, width, dash } = STYLES[strategy];
    const entry = [
      line(x, 55, x + 34, 55,
        `stroke="${colour}" stroke-width="${width}" stroke-dasharray="${dash}"`),
      text(x + 41, 59.5, name),
    ];
    x += 41 + name.length * 7.6 + 26;
    return entry;
  });
}

/** @param {'page' | 'health'} what */
function draw(what, title, { node, rows }) {
  const panels = [];
  const pages = [...new Set(rows.map((row) => row.pages))];
  const curvesOf = (at, kind) => rows.filter((row) => row.pages === at && row.kind === kind)
    .map((row) => ({ strategy: row.strategy, curve: row.distributions[what] }))
    // This project's own line comes last, so that it is on top.
    .sort((a, b) => (a.strategy === 'prioritized') - (b.strategy === 'prioritized'));
  const axes = createAxes(rows.map((row) => row.distributions[what]));
  pages.forEach((at, column) => KINDS.forEach(([kind, label], row) => {
    const left = MARGIN.left + column * (PANEL.width + GAP.x);
    const top = MARGIN.top + 24 + row * (PANEL.height + GAP.y);
    panels.push(`<g transform="translate(${left} ${top})">`,
      text(0, -10, `${at} ${at === 1 ? 'page' : 'pages'} at once, ${label}`, 'class="panel"'),
      ...drawGrid(axes, { isLeft: column === 0, isBottom: row === KINDS.length - 1 }),
      ...curvesOf(at, kind).map((curve) => drawCurve(axes, curve)), '</g>');
  }));

  const strategies = rows.filter(({ kind, pages: at }) => kind === 'none' && at === pages[0]);
  const inner = {
    width: Math.max(pages.length * (PANEL.width + GAP.x) - GAP.x, 720),
    height: 24 + KINDS.length * (PANEL.height + GAP.y) - GAP.y,
  };
  const width = MARGIN.left + inner.width + MARGIN.right;
  const height = MARGIN.top + inner.height + MARGIN.bottom;
  const panelsWidth = pages.length * (PANEL.width + GAP.x) - GAP.x;
  const middle = MARGIN.top + 24 + (inner.height - 24) / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" `
    + `width="${width}" height="${height}" role="img" aria-label="${escapeAll(title)}">
<style>
  text { font: 14px "DejaVu Sans", Verdana, Arial, sans-serif; fill: #222 }
  .title { font-size: 19px; font-weight: bold }
  .panel { font-size: 13px; font-weight: bold }
  .note { font-size: 12px; fill: #555 }
  .grid { stroke: #ddd; stroke-width: 1 }
  .frame { fill: none; stroke: #888 }
  polyline { fill: none; stroke-linejoin: round }
</style>
<rect width="${width}" height="${height}" fill="#fff"/>
${[
    text(MARGIN.left, 30, `${title} (Node ${node.slice(1)})`, 'class="title"'),
    ...drawLegend(strategies),
    ...panels,
    text(MARGIN.left + panelsWidth / 2, height - 34, 'percentile', 'text-anchor="middle"'),
    text(MARGIN.left, height - 14, 'A line ends where few samples lie beyond.', 'class="note"'),
    text(0, 0, 'latency in ms', 'text-anchor="middle" '
      + `transform="translate(20 ${round(middle)}) rotate(-90)"`),
  ].join('\n')}
</svg>
`;
}

const PLOTS = [
  { what: 'page', file: 'ssr-page-latency.svg', title: 'Time until a page is complete' },
  { what: 'health', file: 'ssr-health-latency.svg', title: 'Time until /health is answered' },
];

/** The paths of what was written. */
function writePlots(folder, results) {
  return PLOTS.map(({ what, file, title }) => {
    const target = path.join(folder, file);
    fs.writeFileSync(target, draw(what, title, results));
    return target;
  });
}

module.exports = { writePlots };
