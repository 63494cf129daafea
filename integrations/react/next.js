'use strict';

// Detects prerendering by Next.js with `cacheComponents`. Next.js gives such a render one callback
// of the loop, and leaves unfinished parts to each request, so sections must not wait. In a build
// there is no other work to yield to.

const { undocumented } = require('../internal.js');
const { currentCallback } = require('./callbacks.js');

const { isBuildOfNext, storageOfNext } = undocumented;

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

function findStorage() {
  if (callback === currentCallback()) return undefined;
  callback = currentCallback();
  return storageOfNext();
}

function isPrerenderedByNext() {
  if (isBuildOfNext()) return true;
  storage ??= findStorage();
  return IMPATIENT.has(storage?.getStore()?.type);
}

module.exports = { isPrerenderedByNext };
