'use strict';

// A linter of `npm run lint`: node scripts/setup/columns.js names the lines of more than 100
// columns, in code, comments and prose, and exits with 1 if there are some.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, output } = require('./process');

const MOST = 100;

const FILES = /\.(?:[cm]?[jt]s|jsx|md|rs|sh|toml|yml)$|^\.ci\/run$/;
// The output of benchmarks, and expressions of Prometheus.
const LEFT_OUT = /^(?:bench\/results|docs\/watching)\//;

// Lines that cannot be broken: those with an address, and rows of tables, also in comments.
const UNBREAKABLE = /\w:\/\/|^\s*(?:\/\/[/!]? *)?\||^!\[/;
const FENCE = /^ *```/;
// rustfmt breaks lines of code where it can.
const COMMENT = /^\s*\/\//;

function longLines(file) {
  const lines = fs.readFileSync(path.join(ROOT, file), 'utf8').split('\n');
  let isCode = false;
  return lines.flatMap((line, index) => {
    if (file.endsWith('.md') && FENCE.test(line)) isCode = !isCode;
    if ([...line].length <= MOST || isCode || UNBREAKABLE.test(line)) return [];
    if (file.endsWith('.rs') && !COMMENT.test(line)) return [];
    return [`${file}:${index + 1} has ${[...line].length} columns`];
  });
}

const listed = output('git', ['ls-files', '--cached', '--others', '--exclude-standard']);
const isChecked = (file) =>
  FILES.test(file) && !LEFT_OUT.test(file) && fs.existsSync(path.join(ROOT, file));
const found = (listed ?? '').split('\n').filter(isChecked).flatMap(longLines);
for (const line of found) process.stderr.write(`${line}\n`);
process.exitCode = found.length === 0 ? 0 : 1;
