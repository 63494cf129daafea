// pieces() in a page: an async generator, which is small. It takes twice the time of the class for
// Node, where a page can have thousands of visitors.

import { isObject, mismatch, readOptions, toPriority, toSignal } from './arguments.mjs';
import { pause, throwIfAborted } from './pause.mjs';

const MEMBERS = { priority: toPriority, signal: toSignal };

function isIterable(value) {
  if (typeof value === 'string') return true;
  return isObject(value) &&
    typeof (value[Symbol.asyncIterator] ?? value[Symbol.iterator]) === 'function';
}

export function piecesOf(scheduler, shouldYield) {
  // Leaving the loop over `iterable`, also by an error, closes it.
  async function* iterate(iterable, options) {
    const { signal } = options;
    throwIfAborted(signal);
    for await (const item of iterable) {
      // An async source can take its time.
      throwIfAborted(signal);
      yield item;
      throwIfAborted(signal);
      if (shouldYield()) await pause(scheduler, options);
    }
  }

  return function pieces(iterable, options = undefined) {
    if (!isIterable(iterable)) {
      const expected = 'an iterable or an async iterable';
      throw mismatch('pieces', 'the argument iterable', expected, iterable);
    }
    const { priority, signal } = readOptions('pieces', options, MEMBERS);
    // A TaskSignal has a priority of its own.
    const inherited = signal?.priority === undefined ? 'inherit' : undefined;
    return iterate(iterable, { priority: priority ?? inherited, signal });
  };
}
