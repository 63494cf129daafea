'use strict';

// Packages that provide requestIdleCallback where it is missing. Behind register they take what it
// has installed. With the argument 'first' they are loaded before it, and it keeps theirs.

const { log } = require('../../../fixtures/order.js');
const api = require('../../../..');

// The line that a program on Node needs: some packages look for the functions in `window`.
globalThis.window = globalThis;

function loadShims() {
  const shim = require('ric-shim');
  require('requestidlecallback');
  require('requestidlecallback-polyfill');
  globalThis.document = new EventTarget();
  require('ric');
  return shim;
}

const isFirst = process.argv[2] === 'first';
const register = () => require('../../../../register.js');

if (!isFirst) register();
const shim = loadShims();
if (isFirst) register();

const { cancelIdleCallback, requestIdleCallback, scheduler } = globalThis;
log(requestIdleCallback === api.requestIdleCallback ? 'ours' : 'theirs');
log(cancelIdleCallback === api.cancelIdleCallback ? 'ours' : 'theirs');
log(shim === api.requestIdleCallback ? 'ours' : 'theirs');
log(scheduler === api.scheduler ? 'ours' : 'theirs');

setImmediate(() => {
  shim(({ didTimeout }) => log(`shim:${didTimeout}`));
  shim.cancelIdleCallback(shim(() => log('cancelled')));
  requestIdleCallback(() => log('idle'));
  if (!isFirst) scheduler.postTask(() => log('background'), { priority: 'background' });
});
