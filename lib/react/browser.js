'use strict';

// <Scheduled> where there is no event loop of Node's: browsers, edge runtimes. A <Suspense>, so that
// it hydrates what a server has rendered.

const React = require('react');
const { defineScheduled } = require('./scheduled.js');

module.exports = { Scheduled: defineScheduled(React) };
