'use strict';

// How results are shown: one table, a block for each case. Knows nothing of how they were found.

const { number } = require('./format.js');

const HEADER = ['', 'median', 'ratio', 'goal', ''];

function goalText(goal) {
  if (goal === null) return '';
  if (goal.met === undefined) return `${goal.text}  ?`;
  return `${goal.text}  ${goal.met ? 'met' : 'MISSED'}`;
}

function detailText(details, units) {
  return Object.entries(details)
    .map(([name, value]) => `${name} ${number(value)} ${units[name]}`.trim())
    .join(', ');
}

function ratioText({ row, ratio }, base) {
  if (ratio === null || row === base || !Number.isFinite(ratio)) return '';
  return `${number(ratio)}×`;
}

function cells({ base, unit, details: units, rows }) {
  return rows.map((result) => {
    const { row, median, details, goal, error } = result;
    if (error !== null) return [`  ${row}`, 'FAILED', '', goalText(goal), ''];
    if (median === null) return [`  ${row}`, '—', '', goalText(goal), ''];
    return [
      `  ${row}`,
      `${number(median)} ${unit}`,
      ratioText(result, base),
      goalText(goal),
      detailText(details, units),
    ];
  });
}

// The columns of numbers are aligned to the right.
function line(row, widths) {
  return row
    .map((cell, i) => (i === 1 || i === 2 ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
    .join('  ')
    .trimEnd();
}

function countGoals(cases) {
  const goals = cases.flatMap(({ rows }) => rows.map(({ goal }) => goal)).filter(Boolean);
  const count = (met) => goals.filter((goal) => goal.met === met).length;
  const parts = [`${count(true)} goals met`, `${count(false)} missed`];
  if (count(undefined) > 0) parts.push(`${count(undefined)} not judged`);
  return parts.join(', ');
}

function table({ node, platform, cpu, rounds, cases }) {
  const blocks = cases.map((one) => ({ heading: `${one.name}: ${one.title}`, rows: cells(one) }));
  const all = [HEADER, ...blocks.flatMap(({ rows }) => rows)];
  const widths = HEADER.map((_, i) => Math.max(...all.map((row) => row[i].length)));
  const lines = [
    `Node ${node}, ${platform}, ${cpu}; medians of up to ${rounds} rounds`,
    'ratio: how many times as much as uv-scheduler takes, or as the first row of a block',
    '',
    line(HEADER, widths),
  ];
  for (const { heading, rows } of blocks) {
    lines.push('', heading, ...rows.map((row) => line(row, widths)));
  }
  lines.push('', countGoals(cases));
  return `${lines.join('\n')}\n`;
}

module.exports = { table };
