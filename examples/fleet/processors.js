'use strict';

// Gives the processes their processors. Servers with jobs leave no processor idle, and on a small
// machine the visitors, Redis and the producer would take time from the server that is measured, in
// the runs with jobs alone. So the server with the heavy load has a processor of its own, in all
// runs, and what measures goes first on the others.

const { spawnSync } = require('node:child_process');
const os = require('node:os');

const BEFORE_SERVERS = -10;

// Returns false where there is no such program, or no right to do it.
function pin(pid, processors) {
  const args = ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)];
  return spawnSync('taskset', args, { stdio: 'ignore' }).status === 0;
}

function goFirst(pid) {
  try {
    os.setPriority(pid, BEFORE_SERVERS);
  } catch {
    // Only root may do it, and the figures are less steady without it.
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
  others.forEach(goFirst);
}

module.exports = { placeProcesses };
