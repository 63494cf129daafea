'use strict';

// Detects prerendering by Next.js with `cacheComponents`. Next.js gives such a render one callback
// of the loop, and leaves unfinished parts to each request, so sections must not wait. In a build
// there is no other work to yield to.

const { currentCallback } = require('./callbacks.js');

const BUILD = 'phase-production-build';

const NAME = /^Symbol\(@next\/work-unit-async-storage@/;

// The kinds of prerendering that do not wait; `prerender-legacy` waits for all parts.
const IMPATIENT = new Set([
  'prerender',
  'prerender-client',
  'prerender-runtime',
  'validation-client',
]);

let storage;

// The callback of the loop of the last search, to search once for the many gates of a page.
let callback;

// Next.js stores it under a symbol of the global object, as Next.js is loaded more than once.
function findStorage() {
  if (callback === currentCallback()) return undefined;
  callback = currentCallback();
  const symbol = Object.getOwnPropertySymbols(globalThis).find((each) => NAME.test(String(each)));
  return symbol === undefined ? undefined : globalThis[symbol];
}

function isPrerenderedByNext() {
  if (process.env.NEXT_PHASE === BUILD) return true;
  storage ??= findStorage();
  return IMPATIENT.has(storage?.getStore?.()?.type);
}

module.exports = { isPrerenderedByNext };
