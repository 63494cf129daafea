'use strict';

// pieces() of a sync source compared with `for await` of that source: which properties are read and
// which methods are called, how often and in which order, which items the loop gets, and how it
// ends.

const assert = require('node:assert/strict');
const fc = require('fast-check');
const { pieces } = require('../..');

const REASON = new Error('the loop throws');
const RUNS = 500;

class Subclass extends Promise {}

// A loop may end before it reaches a promise that is rejected.
const handled = (promise) => {
  promise.then(undefined, () => {});
  return promise;
};
const withGetter = (object, key, get) => Object.defineProperty(object, key, { get });

// The values that a source can have as items. Each is made with a name, and with a function that
// notes that it was used.
const ITEMS = {
  'a string': (name) => name,
  'undefined': () => undefined,
  'null': () => null,
  'an object': () => ({}),
  'a function': () => () => {},
  'an object with a `then` that is no function': () => ({ then: 'later' }),
  'an object that resolves': (name, note) => ({
    then(resolve) {
      note(this === undefined ? 'called without a receiver' : 'called');
      resolve(name);
    },
  }),
  'a function that resolves': (name, note) => Object.assign(() => {}, {
    then(resolve) {
      note('called');
      resolve(name);
    },
  }),
  'an object that resolves to another one': (name) => ({
    then: (resolve) => resolve({ then: (inner) => inner(name) }),
  }),
  'a function that rejects': (name) => Object.assign(() => {}, {
    then: (resolve, reject) => reject(new Error(name)),
  }),
  'an object whose then() throws': (name) => ({
    then() {
      throw new Error(name);
    },
  }),
  'an object whose `then` is read': (name, note) => withGetter({}, 'then', () => {
    note('then');
    return (resolve) => resolve(name);
  }),
  'an object whose `then` is read and is no function': (name, note) => {
    return withGetter({}, 'then', () => note('then'));
  },
  'an object whose `then` cannot be read': (name, note) => withGetter({}, 'then', () => {
    note('then');
    throw new Error(name);
  }),
  'a proxy': (name, note) => new Proxy({}, {
    get: (target, key) => note(`get ${String(key)}`),
    has: (target, key) => note(`has ${String(key)}`),
    getPrototypeOf: () => note('prototype') ?? null,
  }),
  'a promise': (name) => Promise.resolve(name),
  'a promise that is rejected': (name) => handled(Promise.reject(new Error(name))),
  'a promise of a subclass': (name) => Subclass.resolve(name),
  'a promise whose own `then` is no function': (name) => {
    return Object.assign(Promise.resolve(name), { then: undefined });
  },
  'a promise whose own `then` is read': (name, note) => {
    return withGetter(Promise.resolve(name), 'then', () => note('then'));
  },
  'a promise whose constructor cannot be read': (name, note) => {
    return withGetter(Promise.resolve(name), 'constructor', () => {
      note('constructor');
      throw new Error(name);
    });
  },
};

// The notes of a loop. The same source is made twice, so values are noted by name.
class Trace {
  lines = [];
  #names = new Map();

  // A function that notes what happens to `name`, and returns undefined.
  of(name) {
    return (text) => void this.lines.push(`${name}: ${text}`);
  }

  item(kind, index) {
    const name = `${kind} ${index}`;
    const value = ITEMS[kind](name, this.of(name));
    if (typeof value === 'object' || typeof value === 'function') this.#names.set(value, name);
    return value;
  }

  nameOf(value) {
    return this.#names.get(value) ?? String(value);
  }
}

// Most items are plain, as those that are taken without a question have to come in a row.
const kind = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a string', 'an object') },
  { weight: 1, arbitrary: fc.constantFrom(...Object.keys(ITEMS)) },
);
const list = (element) => fc.array(element, { maxLength: 30, size: 'max' });

// How the loop ends before its source does, if that is long enough, and what it does to an array.
const LOOPS = {
  'goes on': () => {},
  'breaks': () => 'break',
  'throws': () => {
    throw REASON;
  },
  'adds an item': (source) => void source.push?.('added'),
  'removes items': (source) => void source.splice?.(-2),
};
const loop = fc.record({
  at: fc.nat({ max: 30 }),
  does: fc.constantFrom(...Object.keys(LOOPS)),
});

const arrays = fc.record({
  isProxy: fc.boolean(),
  elements: list(fc.record({
    kind,
    access: fc.oneof(
      { weight: 4, arbitrary: fc.constant('value') },
      { weight: 1, arbitrary: fc.constantFrom('getter', 'hole') },
      { weight: 1, arbitrary: fc.constantFrom('getter', 'getter', 'getter', 'throws') },
    ),
  })),
  loop,
});

function makeArray({ elements, isProxy }, trace) {
  const array = Array(elements.length);
  elements.forEach(({ kind, access }, index) => {
    if (access === 'hole') return;
    const value = trace.item(kind, index);
    if (access === 'value') {
      array[index] = value;
      return;
    }
    const get = () => {
      trace.of(index)('read');
      if (access === 'throws') throw new Error(`element ${index}`);
      return value;
    };
    Object.defineProperty(array, index, { get, configurable: true });
  });
  if (!isProxy) return array;
  const get = (target, key) => {
    trace.of('array')(`get ${String(key)}`);
    return Reflect.get(target, key);
  };
  return new Proxy(array, { get });
}

// The results of next() and return() of a source.
const result = fc.record({
  kind,
  shape: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('plain', 'getters') },
    { weight: 1, arbitrary: fc.constantFrom('last', 'a promise', 'no object', 'throws') },
  ),
});
const CLOSINGS = ['plain', 'a promise', 'no object', 'throws', 'no method', 'null', 'no function'];
const iterators = fc.record({
  results: list(result),
  last: kind,
  closing: fc.record({ kind, shape: fc.constantFrom(...CLOSINGS) }),
  loop,
});

function makeResult({ kind, shape }, index, trace) {
  const note = trace.of(`result ${index}`);
  const value = trace.item(kind, index);
  switch (shape) {
    case 'getters': {
      return {
        get done() {
          return note('done');
        },
        get value() {
          note('value');
          return value;
        },
      };
    }
    case 'last': return { done: 'yes', value };
    // For a sync source that is a result without any members.
    case 'a promise': return withGetter({}, 'then', () => note('then'));
    case 'no object': return 7;
    case 'throws': throw new Error(`result ${index}`);
    default: return { done: false, value };
  }
}

function makeIterable({ results, last, closing }, trace) {
  const note = trace.of('source');
  let index = 0;
  const iterator = {
    get next() {
      note('get next');
      return () => {
        note('next()');
        if (index < results.length) return makeResult(results[index], index++, trace);
        return { done: true, value: trace.item(last, 'last') };
      };
    },
    get return() {
      note('get return');
      if (closing.shape === 'no method') return undefined;
      if (closing.shape === 'null') return null;
      if (closing.shape === 'no function') return 7;
      return (...given) => {
        note(`return() with ${given.length} arguments`);
        return makeResult(closing, 'return', trace);
      };
    },
  };
  return {
    get [Symbol.asyncIterator]() {
      return note('get asyncIterator');
    },
    get [Symbol.iterator]() {
      note('get iterator');
      return () => iterator;
    },
  };
}

async function read(source, iterable, { at, does }, trace) {
  let count = 0;
  for await (const item of iterable) {
    trace.of('loop')(trace.nameOf(item));
    if (count++ === at && LOOPS[does](source) === 'break') break;
  }
}

// Traces a loop that reads a source, directly or through pieces(), to its end.
async function traced(make, program, wrap) {
  const trace = new Trace();
  const source = make(program, trace);
  let end = 'done';
  try {
    await read(source, wrap(source), program.loop, trace);
  } catch (error) {
    // The messages of a TypeError differ.
    end = error instanceof TypeError ? 'TypeError' : error.message;
  }
  return { lines: trace.lines, end };
}

// The specification closes a source when a promise that it gives is rejected, and leaves it open
// when it fails itself. Node 20 and 22 leave it open in both cases, later versions close it.
const MAJOR = Number(process.versions.node.split('.')[0]);
const FAILED = MAJOR < 24 ? /^(?!done$|the loop throws$)/ : /^(TypeError|(element|result) \d+)$/;

// Without the closing of the source where this Node does not do as specified.
function comparable({ lines, end }) {
  const isLeftOut = (line) => FAILED.test(end) && /^source: .*return/.test(line);
  return { lines: lines.filter((line) => !isLeftOut(line)), end };
}

describe('pieces() of a sync source', () => {
  const SOURCES = { 'an array': [arrays, makeArray], 'an iterator': [iterators, makeIterable] };
  for (const [name, [programs, make]] of Object.entries(SOURCES)) {
    it(`does what \`for await\` of ${name} does`, async () => {
      await fc.assert(fc.asyncProperty(programs, async (program) => {
        const expected = await traced(make, program, (source) => source);
        for (const options of [{}, { signal: new AbortController().signal }]) {
          const actual = await traced(make, program, (source) => pieces(source, options));
          assert.deepEqual(comparable(actual), comparable(expected));
        }
      }), { numRuns: RUNS });
    });
  }
});
