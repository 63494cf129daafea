'use strict';

// The work of the servers: pages, and pieces of background work. An amount of work is a number of
// rows or words, not a time: a clock goes on while the kernel has stopped the process.

const { createOrders, rowOf } = require('../frameworks/programs/orders');
const { cpuSince } = require('../harness/processes');

const PAGE_MS = 3;
const PIECE_MS = 0.5;

// An amount like that of a page, so often: enough for the compiler, and then for a time that can be
// measured.
const AMOUNT = 2000;
const WARM_UP = 50;
const SAMPLE = 100;

const orders = createOrders(AMOUNT);

// Renders a table of so many rows.
function renderPage(rows) {
  let html = '';
  for (let row = 0; row < rows; row++) html += rowOf(orders[row % AMOUNT]);
  return html;
}

// The index keeps so many words.
const VOCABULARY = 1000;
const index = new Map();

// Adds so many words to an index.
function indexWords(words) {
  for (let i = 0; i < words; i++) {
    const word = `word ${Math.imul(i, 2654435761) % VOCABULARY}`;
    index.set(word, (index.get(word) ?? 0) + word.length);
  }
}

// Returns the amount of work that takes so many milliseconds of processor time.
function amountOf(work, ms) {
  for (let i = 0; i < WARM_UP; i++) work(AMOUNT);
  const before = process.cpuUsage();
  for (let i = 0; i < SAMPLE; i++) work(AMOUNT);
  return Math.max(1, Math.round(SAMPLE * AMOUNT * ms / cpuSince(before)));
}

// The sizes of a page and of a piece, on this machine.
const calibrate = () => ({
  page: amountOf(renderPage, PAGE_MS),
  piece: amountOf(indexWords, PIECE_MS),
});

// Lets the compiler see the work before anything is measured.
function warmUp({ page, piece }) {
  for (let i = 0; i < 100; i++) {
    renderPage(page);
    indexWords(piece);
  }
}

module.exports = { PAGE_MS, PIECE_MS, calibrate, indexWords, renderPage, warmUp };
