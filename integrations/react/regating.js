'use strict';

// Makes a section that has suspended behind its gate wait for another gate when its data arrives.
//
// React continues directly with the component that suspended, and renders all components that
// waited for one promise in one go. So each function component of a section is replaced by a caller
// that renders the component only if the section is open, and that replaces the components in its
// result in the same way. The results of class components and `forwardRef` are not changed.

const { jsx } = require('react/jsx-runtime');
const { undocumented } = require('../internal.js');

const { isClassComponent, isMemo, isReferenceToClient, isTransparentType } = undocumented;

// Returns the function of a component that can be called.
function functionOf(type) {
  // Most types are HTML elements.
  if (typeof type === 'string') return undefined;
  let inner = type;
  while (isMemo(inner)) inner = inner.type;
  if (typeof inner !== 'function' || isReferenceToClient(inner)) return undefined;
  return isClassComponent(inner) ? undefined : inner;
}

// Whether React renders the children as they are.
function isTransparent(type) {
  // React refuses an undefined type, such as a missing import.
  return typeof type === 'string' || typeof type === 'symbol' || isTransparentType(type);
}

// `Scheduled` has its own gates.
function defineRegating({ Fragment, createElement, isValidElement }, Scheduled) {
  // The caller of each component. It has the component's name.
  const callers = new WeakMap();

  function callerOf(type, component) {
    let caller = callers.get(type);
    if (caller === undefined) {
      caller = ({ props, section }) => section.render(component, props, regated);
      Object.defineProperty(caller, 'name', { value: component.name });
      caller.displayName = type.displayName ?? component.displayName;
      callers.set(type, caller);
    }
    return caller;
  }

  function regatedList(list, section) {
    let result = list;
    for (let index = 0; index < list.length; index++) {
      const each = regated(list[index], section);
      if (each === list[index]) continue;
      if (result === list) result = list.slice();
      result[index] = each;
    }
    if (result === list || process.env.NODE_ENV === 'production') return result;
    // In development React marks the arguments, so that it does not warn of missing keys.
    return result.length > 1 ? createElement(Fragment, null, ...result).props.children : result;
  }

  // Returns the replacement of `node` for React.
  function regated(node, section) {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return regatedList(node, section);
    if (!isValidElement(node)) return node;
    const { props, type } = node;
    const component = type === Scheduled ? undefined : functionOf(type);
    if (component !== undefined) {
      return jsx(callerOf(type, component), { props, section }, node.key ?? undefined);
    }
    const { children: given } = props;
    // Most children are text.
    if (typeof given !== 'object' || given === null || !isTransparent(type)) return node;
    const children = regated(given, section);
    return children === given ? node : jsx(type, { ...props, children }, node.key ?? undefined);
  }

  return regated;
}

module.exports = { defineRegating };
