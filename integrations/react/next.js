'use strict';

// Knows when Next.js prerenders with `cacheComponents`. It gives such a render one callback of the
// loop, and leaves what is not there then to each request. Nobody else is served by a build.

const { currentCallback } = require('./callbacks.js');

const BUILD = 'phase-production-build';

const NAME = /^Symbol\(@next\/work-unit-async-storage@/;

// The kinds of prerendering that wait for nothing; `prerender-legacy` waits for all.
const IMPATIENT = new Set([
  'prerender',
  'prerender-client',
  'prerender-runtime',
  'validation-client',
]);

let storage;

// The callback of the loop in which it was last looked for: the gates of a page are many.
let callback;

// Next.js has it under a symbol of the global object, as it is loaded more than once.
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
