'use strict';

// A linter of `npm run lint`: the section of a table of measurements in README.md or docs/ links to
// a file of bench/results/, and the numbers of each row stand in a few valid rows of that file.
// node scripts/setup/numbers.js names the rows and the tables that break this.
//
// A number has the digits that the document shows: it is in a row of results if a number there,
// rounded to as many decimals, is the same. The row may have it in another unit: a thousandth, such
// as ns for µs, or a share for a percentage.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT } = require('./process');

// Tables that are not checked, by the file and the beginning of their head, and why.
const LEFT_OUT = {
  'docs/reference.md | `@uv-scheduler/binding-…`': 'sizes of files, which `npm run pack` prints',
};

const RESULTS = /bench\/results\/([\w-]+\.md)/g;
const NUMBER = /(?<![\w.^])\d[\d,]*(?:\.\d+)?(?![\w^])/g;
// Neither code nor addresses have measurements.
const NO_TEXT = /`[^`]*`|\]\([^)]*\)/g;
// The rows of results that a row of a document may be made of.
const MOST_ROWS = 2;

const FAULT = 'NOT VALID  ';

const cellsOf = (line) => line.split('|').slice(1, -1).map((cell) => cell.trim());
const textsOf = (cells) => cells.map((cell) => cell.replace(NO_TEXT, ''));
const numbersOf = (text) => text.match(NUMBER) ?? [];
const valueOf = (number) => Number(number.replaceAll(',', ''));

/** The sections of a text { lines, tables: [{ line, head, rows }] }, without code. */
function sectionsOf(text) {
  const sections = [{ lines: [], tables: [] }];
  let isCode = false;
  let table;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    if (isCode) continue;
    if (line.startsWith('#')) sections.push({ lines: [], tables: [] });
    const { lines, tables } = sections.at(-1);
    if (!line.startsWith('|')) table = undefined;
    else if (table === undefined) {
      table = { line: index + 1, head: line, rows: [] };
      tables.push(table);
    } else if (!/^[|\s:-]+$/.test(line)) table.rows.push(cellsOf(line));
    lines.push(line);
  }
  return sections;
}

/**
 * The valid rows of a text of results, as lists of their numbers. The harness writes below its
 * tables which rows are not, by the titles of their cells, which stand in bold type above the rows.
 * A fault that names no row is one of all rows of its section.
 */
function validRows(text) {
  return sectionsOf(text).flatMap(({ lines, tables }) => {
    let title = '';
    const rows = tables.flatMap((table) => table.rows.flatMap((cells) => {
      const [, bold] = /^\*\*(.*)\*\*$/.exec(cells[0]) ?? [];
      title = bold ?? title;
      return bold === undefined ? [{ name: `${title}, ${cells[0]}: `, cells }] : [];
    }));
    const faults = lines.filter((line) => line.startsWith(FAULT))
      .map((line) => line.slice(FAULT.length));
    const isOf = (fault, { name }) => fault.startsWith(name);
    if (faults.some((fault) => !rows.some((row) => isOf(fault, row)))) return [];
    return rows.filter((row) => !faults.some((fault) => isOf(fault, row)))
      .map(({ cells }) => cells.flatMap(numbersOf).map(valueOf));
  });
}

// Whether a number of a document is one of the values of a row, rounded.
function isAmong(number, values) {
  const decimals = /\.(\d+)$/.exec(number)?.[1].length ?? 0;
  const half = 10 ** -decimals / 2 + 1e-9;
  return values.some((value) =>
    [1, 100, 0.001].some((unit) => Math.abs(value * unit - valueOf(number)) <= half));
}

/** Whether `most` of the rows, or fewer, have the numbers together. */
function areIn(numbers, rows, most) {
  if (numbers.length === 0) return true;
  return most > 0 && rows.some((row) => isAmong(numbers[0], row)
    && areIn(numbers.filter((number) => !isAmong(number, row)), rows, most - 1));
}

// At least half of the rows of measurements have a cell that begins with a number.
const isMeasured = ({ rows }) => rows.length <= 2 * rows.filter(([, ...cells]) =>
  textsOf(cells).some((cell) => /^\d/.test(cell))).length;

/** Returns the faults of a document. `read(name)` returns the text of a file of results. */
function check(file, text, read) {
  const addresses = new Map(
    Array.from(text.matchAll(/^(\[[^\]]+\]): (.*)$/gm), ([, name, address]) => [name, address]));
  return sectionsOf(text).flatMap(({ lines, tables }) => {
    const section = lines.filter((line) => !/^\[[^\]]+\]: /.test(line)).join('\n');
    const links = [...addresses].filter(([name]) => section.includes(name));
    const addressed = [section, ...links.map(([, address]) => address)].join('\n');
    const files = Array.from(addressed.matchAll(RESULTS), ([, name]) => name);
    const valid = files.flatMap((name) => validRows(read(name)));
    return tables.filter(isMeasured).flatMap(({ line, head, rows }) => {
      if (Object.keys(LEFT_OUT).some((name) => `${file} ${head}`.startsWith(name))) return [];
      if (files.length === 0) return [`${file}:${line}: its section names no file of results`];
      return rows.map(([, ...cells]) => textsOf(cells).flatMap(numbersOf))
        .filter((numbers) => !areIn(numbers, valid, MOST_ROWS))
        .map((numbers) => `${file}:${line}: no ${MOST_ROWS} valid rows of ${files.join(', ')} have `
          + numbers.join(', '));
    });
  });
}

function main() {
  const textOf = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
  const documents = ['README.md', ...fs.readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const found = documents.flatMap((file) =>
    check(file, textOf(file), (name) => textOf(`bench/results/${name}`)));
  for (const line of found) process.stderr.write(`${line}\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

if (require.main === module) main();

module.exports = { check };
