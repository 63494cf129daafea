'use strict';

// Which versions of Node a package says that it runs on: the ranges that `engines` of a
// package.json has in practice, such as `^22.19.0 || >=24.11`. Each part is a version behind `^`
// or `>=`. It is asked before any library is installed, also about Rust.

const PART = /^(\^|>=)(\d+)(?:\.(\d+))?(?:\.(\d+))?$/;

const numbersOf = (version) => version.split('.').map((each) => parseInt(each, 10));

function isAtLeast(version, least) {
  const index = version.findIndex((number, i) => number !== least[i]);
  return index === -1 || version[index] > least[index];
}

function meets(version, part) {
  const found = PART.exec(part.trim());
  if (found === null) throw new Error(`engines: cannot read ${part}`);
  const [, sign, ...texts] = found;
  const least = texts.map((text = '0') => Number(text));
  if (sign === '^' && version[0] !== least[0]) return false;
  return isAtLeast(version, least);
}

// Whether a version of Node lies in a range.
function satisfies(version, range) {
  return range.split('||').some((part) => meets(numbersOf(version), part));
}

module.exports = { satisfies };
