'use strict';

// <Scheduled> for React Server Components in Node.

const React = require('react');
const { isOff, sharePart } = require('../internal.js');
const { isPrerenderedByNext } = require('./next.js');
const { optionsOf } = require('./options.js');
const { defineRegating } = require('./regating.js');
const { defineScheduled } = require('./scheduled.js');

// One order of sections, also of those that another bundle or copy of the package renders.
const { Section } = sharePart('react', () => require('./section.js'));

function defineGate(Scheduled) {
  const regated = defineRegating(React, Scheduled);
  return function Gate({ children, ...props }) {
    if (isPrerenderedByNext()) return children;
    // React has `cacheSignal()` from 19.2 on. The signal is aborted when the render is not needed
    // any more.
    const section = new Section(optionsOf(props, React.cacheSignal?.()), React.use);
    return section.show(() => regated(children, section));
  };
}

// While the scheduler is off, a <Scheduled> is a <Suspense>, as in browsers.
module.exports = { Scheduled: defineScheduled(React, isOff() ? undefined : defineGate) };
