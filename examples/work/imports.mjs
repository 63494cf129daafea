// An upload of CSV or of a spreadsheet, row by row. A parser handles each chunk in one go, so
// `highWaterMark` bounds the longest piece.

import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import Excel from 'exceljs';
import { pieces, scheduler } from 'uv-scheduler';

// A pipeline, unlike pipe(), closes the file when the import ends early, and passes its errors on.
async function* rowsOfCsv(file) {
  yield* pipeline(createReadStream(file, { highWaterMark: 16_384 }), parse(), () => {});
}

async function* rowsOfSheet(file) {
  for await (const sheet of new Excel.stream.xlsx.WorkbookReader(file)) {
    for await (const row of sheet) yield row.values.slice(1);
  }
}

async function importRows(rows, signal) {
  let count = 0;
  for await (const [name] of pieces(rows, { signal })) {
    if (name === undefined) continue;
    for (const end = performance.now() + 0.05; performance.now() < end;); // Checks the row.
    count++;
  }
  return count;
}

// To try it: each import beside urgent tasks.
const folder = await mkdtemp(path.join(tmpdir(), 'import-'));
const ROWS = Array.from({ length: 2_000 }, (_, row) => [`lamp ${row}`, row]);
const csv = path.join(folder, 'orders.csv');
await writeFile(csv, ROWS.map((row) => `${row}\n`).join(''));
const xlsx = path.join(folder, 'orders.xlsx');
const workbook = new Excel.Workbook();
workbook.addWorksheet('orders').addRows(ROWS);
await workbook.xlsx.writeFile(xlsx);

for (const rows of [rowsOfCsv(csv), rowsOfSheet(xlsx)]) {
  let isOpen = true;
  let answers = 0;
  const poll = () => {
    answers++;
    if (isOpen) setTimeout(poll, 5);
  };
  poll();
  const { signal } = new AbortController();
  const count = await scheduler.postTask(() => importRows(rows, signal), { signal });
  isOpen = false;
  console.log(count, answers > 5);
}
await rm(folder, { recursive: true });
// prints: 2000 true
// prints: 2000 true
