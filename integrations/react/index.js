'use strict';

// <Scheduled> for React's server renderer in Node (react-dom/server and react-dom/static), and for
// other renderers in Node without the condition `react-server`.
//
// Next.js contains copies of React. If this package is external there, Node loads it with another
// copy, whose hooks do not work, also in server components. But elements and promises work in all
// copies: the gate is a promise that stands for its children.

const React = require('react');
const { isOff, sharePart } = require('../internal.js');
const { isPrerenderedByNext } = require('./next.js');
const { optionsOf } = require('./options.js');
const { defineRegating } = require('./regating.js');
const { defineScheduled } = require('./scheduled.js');

// One order of sections, also of those that another bundle or copy of the package renders.
const { Section } = sharePart('react', () => require('./section.js'));

const subscribe = () => () => {};
const isClient = () => false;
const isServer = () => true;

// Which renderer calls: 'server' or 'client' of this copy of React, or another 'copy'.
function renderer() {
  // In development a hook would print an error in another copy. captureOwnerStack() is null outside
  // of a render of this copy, and missing in production.
  if (React.captureOwnerStack?.() === null) return 'copy';
  try {
    // React calls the third argument on the server, and during hydration.
    return React.useSyncExternalStore(subscribe, isClient, isServer) ? 'server' : 'client';
  } catch {
    return 'copy';
  }
}

function defineGate(Scheduled) {
  const regated = defineRegating(React, Scheduled);

  // The content of each <Gate>, by its props, if there is a `window` and so a client that may
  // hydrate. A client calls <Gate> again with the same props, and must get the same elements.
  const contents = new WeakMap();

  function forClients(props, section) {
    let content = contents.get(props);
    if (content === undefined) {
      content = section.show(() => props.children);
      contents.set(props, content);
    }
    return content;
  }

  // Renderers for clients also run in Node, in tests and in terminals.
  return function Gate(props) {
    const kind = renderer();
    if (kind === 'client' || isPrerenderedByNext()) return props.children;
    const section = new Section(optionsOf(props), kind === 'server' ? React.use : undefined);
    if (typeof window !== 'undefined') return forClients(props, section);
    return section.show(() => regated(props.children, section));
  };
}

// While the scheduler is off, a <Scheduled> is a <Suspense>, as in browsers.
module.exports = { Scheduled: defineScheduled(React, isOff() ? undefined : defineGate) };
