'use strict';

// Renders the sections of one document for one visitor.

// The number of sections that fit a screen; these are urgent.
const SCREEN = 3;

// The pages that are being answered.
let underWay = 0;

function createDeferred() {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  // React sees the rejection if it still waits for the section.
  deferred.promise.catch(() => {});
  return deferred;
}

/**
 * Returns the promises of the sections' HTML, and a function that renders them all.
 * `piecesOf(i)` yields the pieces of a section.
 *
 * React streams sections in the order in which they are ready. Here a section is ready when it and
 * all sections before it are rendered, those of the first screen together. The reader sees the page
 * grow from the top, and the bytes don't depend on which section was faster.
 */
function createSections(count, piecesOf, { strategy, signal, label, res }) {
  const html = Array(count).fill();
  const ready = Array.from({ length: count }, createDeferred);
  let sent = 0;
  underWay += 1;
  res.on('close', () => (underWay -= 1));

  function complete(i, text) {
    html[i] = text;
    if (html.slice(0, SCREEN).includes(undefined)) return;
    for (; html[sent] !== undefined; sent++) ready[sent].resolve(html[sent]);
  }

  // Renders some sections, a piece at each step.
  function* renderPieces(from, to) {
    for (let i = from; i < to; i++) {
      let text = '';
      for (const piece of piecesOf(i)) {
        text += piece;
        yield;
      }
      complete(i, text);
    }
  }

  // Renders pieces until it is time to pause. Returns whether all are rendered.
  function advance(pieces, pacer) {
    while (!pieces.next().done) {
      if (pacer.due()) return false;
    }
    return true;
  }

  async function finish(pieces, pacer = strategy.createPacer()) {
    while (!advance(pieces, pacer)) await pacer.pause();
  }

  const inTask = (pieces, urgent) =>
    strategy.render(() => finish(pieces), { urgent, signal, label });

  // Renders the first screen where the shell was rendered: a task more would cost a page a write of
  // its own. The other sections have a task that is less urgent, so that this visitor keeps no
  // first screen waiting; as long as there is no other visitor, they are rendered here as well.
  async function renderInOrder() {
    const pacer = strategy.createPacer();
    await finish(renderPieces(0, Math.min(SCREEN, count)), pacer);
    const others = renderPieces(SCREEN, count);
    if (underWay > 1 || !advance(others, pacer)) await inTask(others, false);
  }

  const renderAlone = (_, i) => inTask(renderPieces(i, i + 1), i < SCREEN);

  async function render() {
    try {
      await (strategy.isSectionTask ? Promise.all(html.map(renderAlone)) : renderInOrder());
    } catch (error) {
      // If the visitor has left, React has already given up the page; otherwise it reports this.
      if (!res.destroyed) ready.forEach(({ reject }) => reject(error));
    }
  }

  return { html: ready.map(({ promise }) => promise), render };
}

module.exports = { createSections };
