'use strict';

// URLPattern for Node 20 and 22, which do not have it. A file of its own, as few programs need it.

/*! urlpattern-polyfill, Copyright 2020 Intel Corporation, MIT licence:
    https://github.com/kenchris/urlpattern-polyfill/blob/main/LICENSE */
module.exports = require('urlpattern-polyfill/urlpattern');
