'use strict';

// The work of the servers: pages, and pieces of background work. An amount of work is a number of
// rows or words, not a time: a clock goes on while the kernel has stopped the process.

const { cpuSince } = require('../harness/processes');

const PAGE_MS = 3;
const PIECE_MS = 0.5;

// An amount like that of a page, so often: enough for the compiler, and then for a time that can be
// measured.
const AMOUNT = 2000;
const WARM_UP = 50;
const SAMPLE = 100;

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character]);

// Renders a table of so many rows.
function renderPage(rows) {
  let html = '<table>';
  for (let row = 0; row < rows; row++) {
    const name = escape(`<article ${row}> & "${row % 97}"`);
    html += `<tr><td id="${row}">${name}</td><td>${(row * 1.19).toFixed(2)}</td></tr>`;
  }
  return `${html}</table>`;
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
