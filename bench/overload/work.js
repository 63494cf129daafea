'use strict';

// The work of the servers. A page holds the thread for the same time on each machine, whatever else
// the machine does: on a virtual one, the speed of a processor may change by half within a minute.

const PAGE_MS = 20;
const CHARACTERS = 16_384;

// Into how many pieces a page is cut.
const PIECES = 40;

const PAGE = '<p>A page</p>\n'.repeat(CHARACTERS / 14);

function hold(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

function render() {
  hold(PAGE_MS);
  return PAGE;
}

/** The pieces of a page, each rendered when it is asked for. */
function* piecesOfPage() {
  const length = Math.ceil(PAGE.length / PIECES);
  for (let i = 0; i < PIECES; i++) {
    hold(PAGE_MS / PIECES);
    yield PAGE.slice(i * length, (i + 1) * length);
  }
}

module.exports = { PAGE_MS, piecesOfPage, render };
