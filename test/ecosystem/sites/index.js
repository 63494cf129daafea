'use strict';

// All sites, by the names of their frameworks. `start()` returns the server, or a promise for it,
// before it listens. `pages` are its pages, if they are not those that most sites have. With
// `hasLog` the framework logs errors that are none of the site.

module.exports = {
  ...require('./node-http.js'),
  ...require('./express.js'),
  ...require('./next.js'),
};
