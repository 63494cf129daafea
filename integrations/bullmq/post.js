'use strict';

// Posts the tasks in which jobs are fetched and started. They run when only background work is
// runnable, with the rank of its continuations: as plain background tasks, they would wait for as
// long as other jobs compute.

const { postPeer } = require('../internal.js');

function post(callback, options) {
  return postPeer(callback, { __proto__: null, priority: 'background', ...options });
}

module.exports = { post };
