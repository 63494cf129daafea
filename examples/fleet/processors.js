'use strict';

// Gives the processes their processors. Servers with jobs leave no processor idle, and on a small
// machine the visitors, Redis and the producer would take time from the server that is measured, in
// the runs with jobs alone. So the server with the heavy load has a processor of its own, in all
// runs, and what measures goes first on the others.

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');

const BEFORE_SERVERS = -10;

// Does nothing where there is no such program.
function pin(pid, processors) {
  const args = ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)];
  spawnSync('taskset', args, { stdio: 'ignore' });
}

// The ids of threads are ids of processes, too.
function setPriority(id, priority) {
  try {
    os.setPriority(id, priority);
  } catch {
    // Only root may raise one, and the figures are less steady without it. A thread may have ended.
  }
}

/**
 * Lets the threads of a server that write files, collect garbage and compile run where its main
 * thread does not: on a larger machine they have other processors.
 */
function putThreadsLast(pid) {
  const folder = `/proc/${pid}/task`;
  if (!fs.existsSync(folder)) return;
  for (const id of fs.readdirSync(folder)) {
    if (Number(id) !== pid) setPriority(Number(id), os.constants.priority.PRIORITY_LOW);
  }
}

/** The ids of the servers' processes, and of the others. */
function placeProcesses({ heavy, light, others }) {
  const last = os.availableParallelism() - 1;
  if (last > 0) {
    const rest = last === 1 ? '1' : `1-${last}`;
    pin(heavy, '0');
    for (const pid of [light, ...others]) pin(pid, rest);
  }
  for (const pid of others) setPriority(pid, BEFORE_SERVERS);
}

module.exports = { placeProcesses, putThreadsLast };
