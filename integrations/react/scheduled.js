'use strict';

// The component <Scheduled>: a <Suspense>, on the server with a gate around its children. React is
// an argument, as this file is bundled into a CommonJS module and an ES module, which load React
// differently.

const { checkProps } = require('./props.js');

// `defineGate` takes the component and returns another one, which renders its children when the
// gate has opened. Without `defineGate`, the children are rendered directly.
function defineScheduled({ Suspense, createElement }, defineGate = undefined) {
  function Scheduled(props) {
    checkProps(props);
    const { priority, signal, fallback, children } = props;
    if (Gate === undefined) return createElement(Suspense, { fallback }, children);
    const gate = createElement(Gate, { priority, signal }, children);
    return createElement(Suspense, { fallback }, gate);
  }
  const Gate = defineGate?.(Scheduled);
  // Bundlers rename functions.
  Scheduled.displayName = 'Scheduled';
  return Scheduled;
}

module.exports = { defineScheduled };
