'use strict';

// The pages of the health server: each one file without scripts, which browsers load again and
// again.

// How often, in seconds.
const EVERY = 5;

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --bar: #4a90d9; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 75rem; padding: 1rem; }
h1 { font-size: 1.2rem; margin: 0; }
.mode { border: 1px solid; border-radius: 1em; font-size: .8rem; padding: .1em .7em; }
.advice { border-left: 4px solid var(--bar); margin: 1rem 0; padding: .2rem .8rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th { font-weight: 600; vertical-align: bottom; }
td, th { border-bottom: 1px solid var(--line); padding: .3rem .6rem; text-align: right; }
td, th { white-space: nowrap; }
td:first-child, th:first-child { min-width: 9rem; text-align: left; white-space: normal; }
td:first-child { word-break: break-word; }
.bar { background: var(--bar); border-radius: 2px; display: block; height: 4px; }
footer { font-size: .85rem; margin-top: 1rem; opacity: .75; }
@media (max-width: 40rem) { .wide { display: none; } body { padding: .6rem; } }
`;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text) => `${text}`.replace(/[&<>"]/g, (character) => ENTITIES[character]);

const cell = (tag, text, isWide) => `<${tag}${isWide ? ' class="wide"' : ''}>${text}</${tag}>`;

// A table of rows: each column has a title, a function that returns HTML, and whether narrow
// screens lack it.
function tableOf(columns, rows) {
  const titles = columns.map(([title, , isWide]) => cell('th', title, isWide)).join('');
  const lines = rows.map((row) =>
    `<tr>${columns.map(([, read, isWide]) => cell('td', read(row), isWide)).join('')}</tr>`);
  return `<div class="table"><table><thead><tr>${titles}</tr></thead>
<tbody>${lines.join('\n')}</tbody></table></div>`;
}

// `title` and `body` are HTML.
function pageOf(title, body, { beganAt, node, pid }) {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title.replace(/<.*/, '').trim()}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${EVERY}"><style>${STYLE}</style></head>
<body><h1>${title}</h1>
${body}
<footer>Since ${escaped(beganAt)} · process ${pid} · Node ${escaped(node)}</footer></body></html>
`;
}

module.exports = { escaped, pageOf, tableOf };
