'use strict';

// Installs the frameworks that the programs of bench/frameworks/programs/ use.

const path = require('node:path');
const npm = require('./npm');
const { ROOT } = require('./process');

const PROGRAMS = path.join(ROOT, 'bench', 'frameworks', 'programs');

const prepare = () => npm.install(PROGRAMS, 'packages for bench/frameworks/programs');

module.exports = { prepare };
