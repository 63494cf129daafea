'use strict';

// Formats the results as one table with a block for each case.

const Table = require('cli-table3');
const { number } = require('./goals.js');

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

function countGoals(cases) {
  const goals = cases.flatMap(({ rows }) => rows.map(({ goal }) => goal)).filter(Boolean);
  const count = (met) => goals.filter((goal) => goal.met === met).length;
  const parts = [`${count(true)} goals met`, `${count(false)} missed`];
  if (count(undefined) > 0) parts.push(`${count(undefined)} not judged`);
  return parts.join(', ');
}

function table({ node, platform, cpu, options, cases }) {
  const result = new Table({
    head: HEADER,
    // Aligns numbers to the right.
    colAligns: ['left', 'right', 'right', 'left', 'left'],
    style: { head: [], border: [], compact: true },
  });
  const wide = (content) => [{ content, colSpan: HEADER.length }];
  for (const one of cases) result.push(wide(''), wide(`${one.name}: ${one.title}`), ...cells(one));
  return [
    `Node ${node}, ${platform}, ${cpu}; medians of up to ${options.rounds} rounds`,
    'ratio: how many times as much as uv-scheduler takes, or as the first row of a block',
    '',
    result.toString(),
    '',
    countGoals(cases),
    '',
  ].join('\n');
}

module.exports = { table };
