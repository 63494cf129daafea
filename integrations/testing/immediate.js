'use strict';

// A turn of the host's own loop, beneath fake timers.

const { promisify } = require('node:util');
const { MessageChannel } = require('node:worker_threads');

function postMessage(callback) {
  const { port1, port2 } = new MessageChannel();
  port1.once('message', () => {
    port1.close();
    callback();
  });
  port2.postMessage(undefined);
}

// The given setImmediate() of the host, or a substitute if it is a fake: node:test keeps no
// reference to the function that it has replaced. Only the host's own function can be promisified.
function realImmediate(setImmediate) {
  return typeof setImmediate[promisify.custom] === 'function' ? setImmediate : postMessage;
}

module.exports = { realImmediate };
