'use strict';

// The work of the servers: a page is an amount of work that takes about so long on this machine.
// Only its end is sent: 20 ms of work make more text than any page has, and to transfer that takes
// turns of the loop.

const { amountOf, renderPage } = require('../idle/work');

const PAGE_MS = 20;
const CHARACTERS = 16_384;

// Enough for the compiler.
const WARM_UP = 20;

const renderEnd = (size) => renderPage(size).slice(-CHARACTERS);

/** The size of a page, on this machine. */
const calibrate = () => amountOf(renderEnd, PAGE_MS);

/** Returns the function that renders a page, once the compiler has seen it. */
function createRender(size) {
  const render = () => renderEnd(size);
  for (let i = 0; i < WARM_UP; i++) render();
  return render;
}

module.exports = { PAGE_MS, calibrate, createRender };
