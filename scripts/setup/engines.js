'use strict';

// Which versions of Node a package says that it runs on: the ranges that `engines` of a
// package.json has in practice, such as `^22.19.0 || >=24.11`. Each part is a version behind `^`
// or `>=`. It is asked before any library is installed, also about Rust.

const PART = /^\s*(\^|>=)([\d.]+)\s*$/;

function meets(version, part) {
  const found = PART.exec(part);
  if (found === null) throw new Error(`engines: cannot read ${part}`);
  const [, sign, least] = found;
  if (sign === '^' && parseInt(version, 10) !== parseInt(least, 10)) return false;
  return version.localeCompare(least, 'en', { numeric: true }) >= 0;
}

// Whether a version of Node lies in a range.
const satisfies = (version, range) => range.split('||').some((part) => meets(version, part));

module.exports = { satisfies };
