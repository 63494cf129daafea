'use strict';

// What first.jest.js does, in a further context of the same process.

require('./first.jest.js');
