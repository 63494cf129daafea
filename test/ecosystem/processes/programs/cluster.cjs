'use strict';

// Logs what the workers of a cluster log, whose primary has preloaded register.

const cluster = require('node:cluster');
const { runTasks } = require('./tasks.cjs');

async function work() {
  const lines = [];
  await runTasks((line) => lines.push(line));
  process.send(lines.join(' '), () => process.disconnect());
}

if (cluster.isPrimary) {
  for (let each = 0; each < 2; each++) cluster.fork();
  cluster.on('message', (worker, text) => console.log(text));
} else {
  work();
}
