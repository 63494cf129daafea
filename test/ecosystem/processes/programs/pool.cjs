'use strict';

// Logs in which order the threads of a pool, which run several tasks at once, run what is urgent
// and what yields. The argument names the pool's package.

const path = require('node:path');

const run = path.join(__dirname, 'pool-worker.cjs');

async function main() {
  const name = process.argv[2];
  const { Piscina, Tinypool } = await import(name);
  const Pool = Piscina ?? Tinypool;
  const options = { maxThreads: 2, minThreads: 2, concurrentTasksPerWorker: 2 };
  const pool = new Pool({ filename: run, ...options });
  const jobs = Array.from({ length: 8 }, (_, index) => pool.run({ index }));
  const results = await Promise.all(jobs);
  const kinds = new Set(results.map(({ order }) => order));
  console.log([...kinds].join('\n'));
  console.log(results.map(({ sum }) => sum).join(' '));
  console.log(results.every(({ thread }) => thread > 0) ? 'threads' : 'main thread');
  await pool.destroy();
}

main();
