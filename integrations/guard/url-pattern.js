'use strict';

// URLPattern for Node 20 and 22, which do not have it. A file of its own, as few programs need it.

module.exports = require('urlpattern-polyfill/urlpattern');
