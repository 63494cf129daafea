'use strict';

// The path patterns of a configuration, such as `/docs/*` or `POST /orders/:id`.

// Longer paths match nothing.
const LONGEST = 2000;

const PATTERN = /^(?:([A-Z]+) )?(\/.*)$/s;

// Returns whether requests match a pattern: a function (method, path). Throws where it is none.
function toMatcher(match) {
  const [, method, pathname] = PATTERN.exec(match) ?? [];
  if (pathname === undefined) throw new TypeError('a pattern is a path, with a method if wanted');
  const Pattern = globalThis.URLPattern ?? require('./url-pattern.js').URLPattern;
  const pattern = new Pattern({ pathname });
  return (own, path) => {
    if (method !== undefined && method !== own) return false;
    return path.length <= LONGEST && pattern.test({ pathname: path });
  };
}

module.exports = { toMatcher };
