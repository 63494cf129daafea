'use strict';

// The scheduler's options for the gates of a section. The default of each prop comes from the task
// in which the render was started.

const { carriedState, flowOfSignal } = require('../internal.js');
const api = require('../../index.js');


// The last combined signal by its first source, so that all sections of a render share one.
const combinations = new WeakMap();

// A TaskSignal that is aborted with any of the signals and has or follows `priority`.
function combined(signals, priority) {
  const [first = priority, second] = signals;
  const made = combinations.get(first);
  if (made?.priority === priority && made.second === second) return made.signal;
  const signal = api.TaskSignal.any(signals, { priority });
  combinations.set(first, { priority, second, signal });
  return signal;
}

// Signals of another realm and polyfills cannot be combined. Then the signal of the task is used.
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

// A section belongs to the request of its signal, otherwise to the request of the task.
// `signalOfRender`, if any, is aborted when the render is not needed any more.
function optionsOf(props, signalOfRender = undefined) {
  const carried = carriedState?.();
  const options = prioritiesOf(props, signalOfRender, carried);
  return { ...options, flow: flowOf(props.signal) ?? carried?.flow };
}

// The flow of the request that the signal belongs to.
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
