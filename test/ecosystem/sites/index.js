'use strict';

// All sites, by the names of their frameworks. `start()` returns the server, or a promise for it,
// before it listens. `pages` are its pages, if they are not those that most sites have.

module.exports = {
  ...require('./node-http.js'),
  ...require('./express.js'),
};
