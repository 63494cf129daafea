'use strict';

// The portable host, for Bun, Deno, and processes of Node that cannot or must not load the addon.

const { createBinding } = require('./binding.js');
const { Turns } = require('./turns.js');

const loadBinding = () => createBinding(new Turns());

module.exports = { loadBinding };
