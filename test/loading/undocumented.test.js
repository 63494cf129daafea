'use strict';

// What happens when a host or a library lacks something that it does not document. lib/loading/
// undocumented.js lists these things.

const path = require('node:path');
const { FIXTURES, testTogether } = require('../helpers/loop.js');

const NONE = { own: ['tick', 'microtask', 'reaction', 'turns'], others: [] };

describe('a task inherits in its own chain alone if ticks and microtasks are resources', () => {
  testTogether([path.join(FIXTURES, 'unknown-resources.js')], {
    'as they are': NONE,
    'of a class of their own': NONE,
    'of a subclass of AsyncResource': NONE,
    'of a class each, with their async id': NONE,
    'plain, with the callback under another name': NONE,
    'without a resource': NONE,
  });
});
