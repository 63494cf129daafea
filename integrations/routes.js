'use strict';

// Names the route of a request by its method and its path, where the framework's own name is not
// known yet: segments that look like ids are `:id`. A segment with many values is `*`, as the paths
// that a client invents must neither be routes of their own nor take memory.

// The most values of a segment, the most segments of a name, and the most values in all.
const MOST_VALUES = 40;
const MOST_SEGMENTS = 6;
const MOST_ROUTES = 1000;

// Values that no request has had since the time before the last one are forgotten, so that those in
// use come back behind a flood of others. In ms.
const FORGOTTEN_AFTER = 60_000;

// Longer ones are ids.
const LONGEST_VALUE = 40;
const LONGEST_METHOD = 20;

// Numbers, dates, UUIDs, hashes, and words with many digits.
const ID = new RegExp([
  String.raw`\d+`,
  String.raw`\d{4}-\d\d(?:-\d\d)?`,
  '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  '[0-9a-f]{12,}',
  String.raw`.*\d{5}.*`,
  String.raw`(?=.*\d)[\w~.-]{16,}`,
].map((each) => `^(?:${each})$`).join('|'), 'i');

const OTHER = '*';
const SOME_ID = ':id';

const HAS_DIGIT = /\d/;
const HEX_LENGTH = 12;

// The ends of a path in a URL.
const PATH_END = /[?#;]/;

function isId(segment) {
  const { length } = segment;
  if (length > LONGEST_VALUE) return true;
  return (length >= HEX_LENGTH || HAS_DIGIT.test(segment)) && ID.test(segment);
}

// The path of a request's URL. Clients of proxies send absolute URLs.
function pathOf(url) {
  let path = url;
  if (!url.startsWith('/') && url.includes('://')) {
    const start = url.indexOf('/', url.indexOf('://') + 3);
    path = start < 0 ? '/' : url.slice(start);
  }
  const end = path.search(PATH_END);
  return end < 0 ? path : path.slice(0, end);
}

// A value of a segment, with the values of the next one.
class Value {
  name;
  usedAt = 0;
  values = new Map();

  constructor(name) {
    this.name = name;
  }
}

class Routes {
  #root = new Value('');
  #count = 0;
  // The times of the last two sweeps.
  #sweptAt = -Infinity;
  #sweptBefore = -Infinity;

  // Returns the name of the route of a request that arrives at this time, in ms.
  nameOf(method, path, now) {
    const first = method.length > LONGEST_METHOD ? OTHER : method;
    let value = this.#next(this.#root, first, ' ', now);
    for (let i = 0, start = 1; i < MOST_SEGMENTS; i++) {
      const end = path.indexOf('/', start);
      const segment = path.slice(start, end < 0 ? path.length : end);
      value = this.#next(value, isId(segment) ? SOME_ID : segment, '', now);
      if (end < 0) return value.name;
      start = end + 1;
    }
    return this.#next(value, OTHER, '', now).name;
  }

  #next(from, segment, behind, now) {
    let value = from.values.get(segment);
    if (value === undefined) {
      if (segment !== OTHER && !this.#hasRoom(from, now)) {
        return this.#next(from, OTHER, behind, now);
      }
      // A part of a string would keep the whole one in memory.
      const own = Buffer.from(segment, 'latin1').toString('latin1');
      value = new Value(from === this.#root ? own + behind : `${from.name}/${own}`);
      from.values.set(own, value);
      this.#count++;
    }
    value.usedAt = now;
    return value;
  }

  #hasRoom(from, now) {
    const hasRoom = () => from.values.size < MOST_VALUES && this.#count < MOST_ROUTES;
    if (hasRoom() || now - this.#sweptAt < FORGOTTEN_AFTER) return hasRoom();
    this.#sweptBefore = this.#sweptAt;
    this.#sweptAt = now;
    this.#sweep(this.#root);
    return hasRoom();
  }

  // Forgets the values without a request since the sweep before the last one.
  #sweep({ values }) {
    for (const [segment, value] of values) {
      this.#sweep(value);
      if (value.values.size > 0 || value.usedAt >= this.#sweptBefore) continue;
      values.delete(segment);
      this.#count--;
    }
  }
}

module.exports = { Routes, pathOf };
