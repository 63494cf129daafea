'use strict';

// The same as first.jest.js, in another context of the same process.

require('./first.jest.js');
