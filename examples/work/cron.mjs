// A job of cron beside an API: it takes the time that requests leave, and gets on all the same.

import { schedule } from 'node-cron';
import { pieces, scheduler } from 'uv-scheduler';

async function writeStatistics() {
  let rows = 0;
  for await (const row of pieces(Array(200).keys())) {
    for (const end = performance.now() + 0.1; performance.now() < end;); // Counts the row.
    rows = row + 1;
  }
  return rows;
}

const job = schedule('0 3 * * *', () => {
  return scheduler.postTask(writeStatistics, { priority: 'background', maxWait: 60_000 });
}, { noOverlap: true });

// To try it: the job is due while pages wait.
let pages = 0;
const due = job.execute();
for (let page = 0; page < 20; page++) scheduler.postTask(() => pages++);
console.log(await due, pages); // prints: 200 20
job.destroy();
