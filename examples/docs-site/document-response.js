'use strict';

// Renders the sections of one document for one visitor, and counts the time that it takes: that
// for visitors who are there, and that for those who have left.

const { createMeteredPacer } = require('./pacer');

// The number of sections that fit a screen; these are urgent.
const FIRST_SCREEN = 3;

/** Milliseconds of rendering, and how many visitors left before their page was complete. */
function createRenderingTimes() {
  return { awaited: 0, abandoned: 0, pagesAbandoned: 0 };
}

/** Returns the numbers of the sections, in the groups that the strategy starts. */
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
 * Returns the promises of the sections' HTML, and a function that renders them all.
 *
 * React streams sections in the order in which they are ready. Here a section is ready when it and
 * all sections before it are rendered. The reader sees the page grow from the top, and the bytes
 * don't depend on which section was faster.
 */
function createSections({ count, renderSection, strategy, signal, hasLeft, times }) {
  const rendered = Array.from({ length: count }, createDeferred);
  const ready = Array.from({ length: count }, createDeferred);

  async function renderGroup(group, options) {
    const pacer = createMeteredPacer(strategy.createPacer(options), (ms) => {
      times[hasLeft() ? 'abandoned' : 'awaited'] += ms;
    });
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
    const options = { urgent: group[0] < FIRST_SCREEN, signal };
    try {
      await strategy.render(() => renderGroup(group, options), options);
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
      if (!hasLeft()) for (const { reject } of ready) reject(error);
    }
  }

  return { html: ready.map(({ promise }) => promise), render };
}

module.exports = { createRenderingTimes, createSections };
