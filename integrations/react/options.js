'use strict';

// The options of the scheduler's tasks that open the gates of a section. What the props leave open
// is that of the task in which the render was started.

const api = require('../../index.js');

const carriedState = api[Symbol.for('uv-scheduler.carriedState')];
const { flowOfSignal } = api[Symbol.for('uv-scheduler.requests')];

// The last signal that was made of each one, so that all sections of a render have the same.
const combinations = new WeakMap();

// A TaskSignal that is aborted with any of the signals and has the priority of another one.
function combined(signals, priority) {
  const [first = priority, second] = signals;
  const made = combinations.get(first);
  if (made?.priority === priority && made.second === second) return made.signal;
  const signal = api.TaskSignal.any(signals, { priority });
  combinations.set(first, { priority, second, signal });
  return signal;
}

// Signals of another realm and polyfills cannot be combined. That of the task then counts.
const canBeCombined = (signals) => signals.every((each) => each instanceof AbortSignal);

function withPriorityOf(source, signals) {
  if (signals.length === 1 && signals[0] === source) return { signal: source };
  if (canBeCombined(signals)) return { signal: combined(signals, source) };
  return { signal: signals.at(-1), priority: source.priority };
}

function oneOf(signals) {
  const isCombined = signals.length > 1 && canBeCombined(signals);
  return isCombined ? combined(signals, 'user-visible') : signals.at(-1);
}

// A section belongs to the request of its signal, or else to that of the task. `signalOfRender` is
// aborted when nobody needs the render; it may be undefined.
function optionsOf(props, signalOfRender = undefined) {
  const carried = carriedState?.();
  const options = prioritiesOf(props, signalOfRender, carried);
  return { ...options, flow: flowOf(props.signal) ?? carried?.flow };
}

// The flow of the request whose signal it is.
function flowOf(signal) {
  return signal instanceof api.TaskSignal ? flowOfSignal(signal) : undefined;
}

function prioritiesOf({ priority, signal }, signalOfRender, carried) {
  const isFollowed = priority === undefined && signal instanceof api.TaskSignal;
  if (isFollowed) return { priority, signal };
  const signals = (signal === undefined ? [signalOfRender, carried?.signal] : [signal]).filter(
    (each) => each !== undefined && each !== null,
  );
  const source = carried?.prioritySource;
  if (priority === undefined && source !== undefined) return withPriorityOf(source, signals);
  return { priority: priority ?? carried?.priority ?? 'user-visible', signal: oneOf(signals) };
}

module.exports = { optionsOf };
