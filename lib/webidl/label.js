'use strict';

// Texts of at most 120 characters: the labels of tasks, and fairness keys. The names of functions.

const { isProxy } = require('node:util').types;

const { getOwnPropertyDescriptor } = Object;

// The maximum length of a label or key in characters.
const MAX_LENGTH = 120;

// The characters of base64 that 128 bits take.
const HASH_LENGTH = 22;

const isHighSurrogate = (unit) => unit >= 0xd800 && unit < 0xdc00;

// The first characters of a longer text, without half of a surrogate pair. Copies the slice, as a
// slice keeps the whole string in memory.
function firstOf(text, length) {
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return Buffer.from(text.slice(0, end), 'utf16le').toString('utf16le');
}

function shortened(label) {
  return label.length <= MAX_LENGTH ? label : firstOf(label, MAX_LENGTH);
}

// A long key ends with a hash, so that it differs from other keys with the same beginning. Clients
// choose keys, so the hash is one for which no equal pair can be found. UTF-8 would not tell lone
// surrogates apart.
function shortenedKey(key) {
  if (key.length <= MAX_LENGTH) return key;
  const { createHash } = require('node:crypto');
  const digest = createHash('sha256').update(key, 'utf16le').digest('base64url');
  return `${firstOf(key, MAX_LENGTH - HASH_LENGTH - 1)}…${digest.slice(0, HASH_LENGTH)}`;
}

// The name of a function if it is a string in an own property, otherwise ''. Reading an accessor
// would run code of the application.
function nameOf(fn) {
  if (isProxy(fn)) return '';
  const name = getOwnPropertyDescriptor(fn, 'name')?.value;
  return typeof name === 'string' ? name : '';
}

module.exports = { nameOf, shortened, shortenedKey };
