'use strict';

// A server of the fleet, a child process: serves the documentation site, and takes jobs from the
// queue in the time that this leaves.

const { monitorTasks } = require('uv-scheduler/watch');
const { IdleWorker } = require('uv-scheduler/bullmq');

const { startServer } = require('../docs-site/server');
const { createProcessor } = require('./jobs');

const [, , name, queue, port, folder] = process.argv;

async function main() {
  // Ctrl+C reaches the whole process group; the parent ends its children in its own order.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
  const server = await startServer();
  const monitor = monitorTasks();
  monitor.enable();
  const counts = { jobs: 0, givenBack: 0, failed: 0 };
  const worker = new IdleWorker(queue, createProcessor(server.site, folder), {
    connection: { host: '127.0.0.1', port: Number(port) },
    autorun: false,
    name,
    // While one job waits for Redis or the disk, another one has the idle time.
    concurrency: 2,
  });
  worker.on('completed', () => counts.jobs++);
  worker.on('givenBack', () => counts.givenBack++);
  worker.on('failed', (job, error) => {
    counts.failed++;
    console.error(error);
  });
  worker.on('error', (error) => console.error(error));

  let before = monitor.utilization();
  const commands = {
    count: () => ({ ...counts }),
    // What the thread did since the last time that this was asked.
    utilization() {
      const share = monitor.utilization(before);
      before = monitor.utilization();
      return share;
    },
    start: () => worker.resume(),
    // Waits for the job that runs.
    stop: () => worker.pause(),
    close: () => worker.close({ giveBackAfter: 0 }),
  };
  process.on('message', async ({ command }) => {
    process.send({ result: (await commands[command]()) ?? null });
  });
  const { documents } = server.site;
  process.send({ url: server.url, paths: documents.map(({ url }) => url) });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
