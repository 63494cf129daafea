'use strict';

// The work of the servers. A page holds the thread for the same time on each machine, whatever else
// the machine does: on a virtual one, the speed of a processor may change by half within a minute.

const PAGE_MS = 20;
const CHARACTERS = 16_384;

const PAGE = '<p>A page</p>\n'.repeat(CHARACTERS / 14);

function render() {
  const end = performance.now() + PAGE_MS;
  while (performance.now() < end);
  return PAGE;
}

module.exports = { PAGE_MS, render };
