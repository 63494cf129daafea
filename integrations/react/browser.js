'use strict';

// <Scheduled> in browsers and on edge runtimes: a <Suspense>, so that it hydrates server-rendered
// HTML.

const React = require('react');
const { defineScheduled } = require('./scheduled.js');

module.exports = { Scheduled: defineScheduled(React) };
