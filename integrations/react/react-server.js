'use strict';

// <Scheduled> for React Server Components in Node. A component may be an async function there.

const React = require('react');
const { openGate } = require('./gates.js');
const { defineScheduled } = require('./scheduled.js');

// React has `cacheSignal()` from 19.2 on. Its signal is aborted when nobody needs the render.
const signalOfRender = () => React.cacheSignal?.() ?? undefined;

async function Gate({ priority, signal = signalOfRender(), children }) {
  await openGate(priority, signal);
  return children;
}

module.exports = { Scheduled: defineScheduled(React, Gate) };
