'use strict';

// The names of files that each process and thread writes: traces and reports.

const { extname } = require('node:path');
const { isMainThread, threadId } = require('node:worker_threads');

// Replaces `${pid}` and `${tid}` in a name by the numbers of the process and the thread.
function resolveName(name) {
  return name.replaceAll('${pid}', process.pid).replaceAll('${tid}', threadId);
}

// The name for this thread, from a name that all threads and processes share.
function ownName(name) {
  const hasThread = name.includes('${tid}');
  const hasProcess = name.includes('${pid}');
  if (hasThread || (hasProcess && isMainThread)) return name;
  const extension = extname(name);
  const base = name.slice(0, name.length - extension.length);
  return `${base}${hasProcess ? '' : '.${pid}'}.\${tid}${extension}`;
}

module.exports = { ownName, resolveName };
