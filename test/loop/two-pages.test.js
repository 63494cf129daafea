'use strict';

// While one page is rendered, when another request begins and ends: the table of docs/reference.md,
// on every Node version. The program is fixtures/two-pages.js.
// @host programs each-node

const path = require('node:path');
const { FIXTURES, testTogether } = require('../helpers/loop.js');

const overtaken = ['long called', 'long begun', 'short called', 'short begun', 'short ended',
  'long ended'];

describe('a short page that is requested while a long one', () => {
  testTogether([path.join(FIXTURES, 'two-pages.js')], {
    'does not yield': ['long called', 'long begun', 'long ended', 'short called', 'short begun',
      'short ended'],
    'yields outside of tasks': overtaken,
    'yields in a task without a signal': ['long called', 'long begun', 'short called',
      'long ended', 'short begun', 'short ended'],
    'yields in a task of controllerFor()': overtaken,
    'yields under an admission': overtaken,
  });
});
