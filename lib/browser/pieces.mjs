// pieces() in a page: an async generator, which is small. It takes twice the time of the class for
// Node, where a page can have thousands of visitors.

import { isObject, mismatch, readOptions, toPriority, toSignal } from './arguments.mjs';
import { noop, pause, throwIfAborted } from './pause.mjs';

const RESULT = 'the result of next() of the source';
const MEMBERS = { priority: toPriority, signal: toSignal };

function methodOf(value) {
  if (typeof value !== 'string' && !isObject(value)) return undefined;
  return value[Symbol.asyncIterator] ?? value[Symbol.iterator];
}

// Settles as the promise does, or with the signal's reason if that is aborted before.
async function unlessAborted(promise, signal) {
  if (signal === undefined) return promise;
  let check;
  try {
    return await new Promise((resolve, reject) => {
      check = () => {
        if (signal.aborted) reject(signal.reason);
      };
      signal.addEventListener('abort', check);
      check();
      Promise.resolve(promise).then(resolve, reject);
    });
  } finally {
    signal.removeEventListener('abort', check);
  }
}

export function piecesOf(scheduler, shouldYield) {
  async function* iterate(iterable, options, ended) {
    const { signal } = options;
    let iterator;
    // Whether leaving the loop closes the source: not after its own end or error.
    let isOpen = false;
    try {
      for (;;) {
        throwIfAborted(signal);
        if (isOpen && shouldYield()) await unlessAborted(pause(scheduler, options), signal);
        iterator ??= methodOf(iterable).call(iterable);
        isOpen = false;
        const result = await unlessAborted(iterator.next(), signal);
        throwIfAborted(signal);
        if (!isObject(result)) throw mismatch('pieces', RESULT, 'an object', result);
        const { done, value } = result;
        if (done) return value;
        isOpen = true;
        yield await unlessAborted(value, signal);
      }
    } catch (error) {
      if (signal?.aborted) ended(error);
      // Does not wait for a source that is silent.
      if (isOpen || signal?.aborted) (async () => iterator?.return?.())().catch(noop);
      isOpen = false;
      throw error;
    } finally {
      if (isOpen) await iterator.return?.();
    }
  }

  return function pieces(iterable, options = undefined) {
    if (typeof methodOf(iterable) !== 'function') {
      const expected = 'an iterable or an async iterable';
      throw mismatch('pieces', 'the argument iterable', expected, iterable);
    }
    const { priority, signal } = readOptions('pieces', options, MEMBERS);
    // A TaskSignal has a priority of its own.
    const inherited = signal?.priority === undefined ? 'inherit' : undefined;
    let rejection;
    const generator = iterate(iterable, { priority: priority ?? inherited, signal }, (error) => {
      rejection = { error };
    });
    const next = generator.next.bind(generator);
    // After an abort, all further calls are rejected. A generator would say that it is done.
    generator.next = async () => {
      const result = await next();
      if (rejection !== undefined) throw rejection.error;
      return result;
    };
    return generator;
  };
}
