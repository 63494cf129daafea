'use strict';

// <Scheduled> for React's server renderer in Node (react-dom/server and react-dom/static).

const React = require('react');
const { openGate } = require('./gates.js');
const { defineScheduled } = require('./scheduled.js');

// The gate of each <Gate>. When React renders a component again because it had suspended, it passes
// the same props object. Each render makes its own for <Gate>, even of a <Scheduled> that is a
// constant of a module.
const gates = new WeakMap();

const subscribe = () => () => {};
const isClient = () => false;
const isServer = () => true;

// Renderers for clients run in Node, too, in tests and in terminals. React calls the third argument
// on the server alone (and to hydrate what a server has rendered).
function Gate(props) {
  const { priority, signal, children } = props;
  if (React.useSyncExternalStore(subscribe, isClient, isServer)) {
    let gate = gates.get(props);
    if (gate === undefined) gates.set(props, (gate = openGate(priority, signal)));
    React.use(gate);
  }
  return children;
}

module.exports = { Scheduled: defineScheduled(React, Gate) };
