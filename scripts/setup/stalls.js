'use strict';

// Lets processes stand still for a while, as a busy machine does, for `npm run check steady`. On
// Linux, whose /proc says which processes there are.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');

// The parent of a process; undefined if that has ended.
function parentOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name of the program, which may have spaces and brackets, and the state.
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2]);
  } catch {
    return undefined;
  }
}

// A process and those that it has started, and so on. One whose parent has ended is not among them.
function treeOf(root) {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map(pids.map((pid) => [pid, parentOf(pid)]));
  const tree = [root];
  for (const one of tree) tree.push(...pids.filter((pid) => parents.get(pid) === one));
  return tree;
}

// Stops these processes for some milliseconds. A shell does so, in a group of its own: it lets them
// go on also if this process is interrupted or killed meanwhile.
async function stall(pids, ms) {
  const commands = 'kill -STOP "$@"; sleep "$0"; kill -CONT "$@"';
  const args = ['-c', commands, String(ms / 1000), ...pids.map(String)];
  await once(spawn('sh', args, { detached: true, stdio: 'ignore' }), 'exit');
}

module.exports = { stall, treeOf };
