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

/** Counts the time of one page; the response says how the page ended. */
function createStopwatch(res, times) {
  let spent = 0;
  let hasLeft = false;
  res.on('close', () => {
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

/** Returns the numbers of the sections, in groups that are rendered one by one. */
function groupsOf(count, isSectionTask) {
  const all = Array.from({ length: count }, (_, i) => i);
  if (isSectionTask) return all.map((i) => [i]);
  return [all.slice(0, FIRST_SCREEN), all.slice(FIRST_SCREEN)].filter(({ length }) => length > 0);
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

  async function renderGroup(group, options) {
    const pacer = createMeteredPacer(strategy.createPacer(options), stopwatch.add);
    for (const i of group) {
      let html = '';
      for (const piece of renderSection(i)) {
        html += piece;
        if (pacer.due()) await pacer.pause();
      }
      rendered[i].resolve(html);
    }
    pacer.end();
  }

  async function startGroup(group) {
    const urgent = group[0] < FIRST_SCREEN;
    const isTask = strategy.isSectionTask || !urgent;
    const options = { urgent, signal, label };
    const renderAll = () => renderGroup(group, options);
    try {
      await (isTask ? strategy.render(renderAll, options) : renderAll());
    } catch (error) {
      for (const i of group) rendered[i].reject(error);
    }
  }

  async function render() {
    for (const group of groupsOf(count, strategy.isSectionTask)) startGroup(group);
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
