'use strict';

// Renders the sections of one document for one visitor, and counts the time that it takes: that for
// pages that were read to the end, and that for the others.

const { createMeteredPacer } = require('./pacer');

// The number of sections that fit a screen; these are urgent.
const FIRST_SCREEN = 3;

/**
 * Milliseconds of rendering sections: for pages that were complete; for the others, until their
 * visitor left and after that.
 */
function createRenderingTimes() {
  return { complete: 0, untilLeft: 0, afterLeft: 0, pagesLeft: 0 };
}

// The pages that are being answered.
let underWay = 0;

/** Counts one page as under way, and its time; the response says how the page ended. */
function createStopwatch(res, times) {
  let spent = 0;
  let hasLeft = false;
  underWay += 1;
  res.on('close', () => {
    underWay -= 1;
    hasLeft = !res.writableFinished;
    times[hasLeft ? 'untilLeft' : 'complete'] += spent;
    if (hasLeft) times.pagesLeft += 1;
  });
  return {
    hasLeft: () => hasLeft,
    add(ms) {
      if (hasLeft) times.afterLeft += ms;
      else spent += ms;
    },
  };
}

function createDeferred() {
  const deferred = {};
  deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }));
  // Whoever awaits it sees the rejection; nobody has to.
  deferred.promise.catch(() => {});
  return deferred;
}

/**
 * Returns the promises of the sections' HTML, and a function that renders them all. To be called
 * where the shell was rendered: if sections have no tasks of their own, those of the first screen
 * are rendered there, too. A task more would cost a page a write of its own.
 *
 * React streams sections in the order in which they are ready. Here a section is ready when it and
 * all sections before it are rendered. The reader sees the page grow from the top, and the bytes
 * don't depend on which section was faster.
 */
function createSections({ count, renderSection, strategy, signal, label, stopwatch }) {
  const rendered = Array.from({ length: count }, createDeferred);
  const ready = Array.from({ length: count }, createDeferred);

  /** Renders some sections, a piece at each step. */
  function* piecesOf(sections) {
    for (const i of sections) {
      let html = '';
      for (const piece of renderSection(i)) {
        html += piece;
        yield;
      }
      rendered[i].resolve(html);
    }
  }

  /** Renders pieces until it is time to pause. Returns whether all are rendered. */
  function advance(pieces, pacer) {
    while (!pieces.next().done) {
      if (pacer.due()) return false;
    }
    return true;
  }

  const createPacer = (options) =>
    createMeteredPacer(strategy.createPacer(options), stopwatch.add);

  /** Renders pieces in a task. */
  function renderInTask(pieces, urgent) {
    const options = { urgent, signal, label };
    return strategy.render(async () => {
      const pacer = createPacer(options);
      while (!advance(pieces, pacer)) await pacer.pause();
      pacer.end();
    }, options);
  }

  /**
   * Renders the first screen where the shell was rendered. The other sections have a task that is
   * less urgent, so that this visitor keeps no first screen waiting; as long as there is no other
   * visitor, they are rendered here as well.
   */
  async function renderInOrder(sections) {
    const screen = piecesOf(sections.slice(0, FIRST_SCREEN));
    const others = piecesOf(sections.slice(FIRST_SCREEN));
    const pacer = createPacer({ urgent: true, signal, label });
    while (!advance(screen, pacer)) await pacer.pause();
    const isOver = count <= FIRST_SCREEN || (underWay === 1 && advance(others, pacer));
    pacer.end();
    if (!isOver) await renderInTask(others, false);
  }

  async function renderAll() {
    const sections = [...rendered.keys()];
    if (!strategy.isSectionTask) return renderInOrder(sections);
    return Promise.all(sections.map((i) => renderInTask(piecesOf([i]), i < FIRST_SCREEN)));
  }

  async function render() {
    // Whatever is rendered remains.
    renderAll().catch((error) => rendered.forEach(({ reject }) => reject(error)));
    try {
      const screen = await Promise.all(
        rendered.slice(0, FIRST_SCREEN).map(({ promise }) => promise));
      screen.forEach((html, i) => ready[i].resolve(html));
      for (let i = screen.length; i < count; i++) ready[i].resolve(await rendered[i].promise);
    } catch (error) {
      // If the visitor left, React has already given up the page; otherwise it reports the error.
      if (!stopwatch.hasLeft()) for (const { reject } of ready) reject(error);
    }
  }

  return { html: ready.map(({ promise }) => promise), render };
}

module.exports = { createRenderingTimes, createSections, createStopwatch };
