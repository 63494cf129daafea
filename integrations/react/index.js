'use strict';

// <Scheduled> for React's server renderer in Node (react-dom/server and react-dom/static), and for
// whatever else renders in Node without the condition `react-server`.
//
// Next.js has copies of React in itself. If this package is external there, Node loads it with yet
// another copy, whose hooks do not work, also in server components. But elements and promises are
// the same in all copies: the gate is a promise that stands for its children.

const React = require('react');
const { isPrerenderedByNext } = require('./next.js');
const { optionsOf } = require('./options.js');
const { defineRegating } = require('./regating.js');
const { defineScheduled } = require('./scheduled.js');
const { Section } = require('./section.js');

const subscribe = () => () => {};
const isClient = () => false;
const isServer = () => true;

// Whether this copy of React renders, and for whom: 'server', 'client', or 'copy'.
function renderer() {
  // In development a hook would print an error for a copy. Outside of a render of this one, this is
  // null, and undefined in production.
  if (React.captureOwnerStack?.() === null) return 'copy';
  try {
    // React calls the third argument on the server, and to hydrate what a server has rendered.
    return React.useSyncExternalStore(subscribe, isClient, isServer) ? 'server' : 'client';
  } catch {
    return 'copy';
  }
}

function defineGate(Scheduled) {
  const regated = defineRegating(React, Scheduled);

  // What each <Gate> renders, by its props, where a client may hydrate it: there is a window. A
  // client calls it again with the same props, and goes on with the same elements afterwards.
  const contents = new WeakMap();

  function forClients(props, section) {
    let content = contents.get(props);
    if (content === undefined) {
      content = section.show(() => props.children);
      contents.set(props, content);
    }
    return content;
  }

  // Renderers for clients run in Node, too, in tests and in terminals.
  return function Gate(props) {
    const kind = renderer();
    if (kind === 'client' || isPrerenderedByNext()) return props.children;
    const section = new Section(optionsOf(props), kind === 'server' ? React.use : undefined);
    if (typeof window !== 'undefined') return forClients(props, section);
    return section.show(() => regated(props.children, section));
  };
}

module.exports = { Scheduled: defineScheduled(React, defineGate) };
