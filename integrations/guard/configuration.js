'use strict';

// The configuration of a guard: an object, or a file that has one. The package has a JSON schema of
// it. Loads nothing else of the package, as each start of node reads it.

const { readFileSync, statSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { toMatcher } = require('./patterns.js');
const schema = require('./schema.json');

const KINDS = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  integer: Number.isInteger,
};

const isOfType = (value, type) => KINDS[type]?.(value) ?? typeof value === type;

// Why a value is not valid; undefined if it is. `name` is its place, such as `health.port`.
function faultOf(value, rules, name) {
  const { type, enum: values, anyOf } = rules;
  const { exclusiveMinimum: above, minimum: least, maximum: most } = rules;
  const must = (text) => `${name} must be ${text}, but is ${shown(value)}`;
  if (anyOf !== undefined) {
    const isAny = anyOf.some((each) => faultOf(value, each, name) === undefined);
    return isAny ? undefined : must(rules.description);
  }
  if (rules['x-function']) return typeof value === 'function' ? undefined : must('a function');
  if (values !== undefined && !values.includes(value)) return must(values.join(' or '));
  if (type !== undefined && !isOfType(value, type)) return must(`of type ${type}`);
  if (value <= above) return must(`above ${above}`);
  if (value < least || value > most) return must(`from ${least} to ${most ?? 'more'}`);
  if (type === 'object') return faultIn(value, rules, name);
  if (type !== 'array') return undefined;
  return first(value, (each, i) => faultOf(each, rules.items, `${name}[${i}]`));
}

function faultIn(value, { properties = {}, required = [], additionalProperties }, name) {
  const place = (key) => (name === '' ? key : `${name}.${key}`);
  const missing = required.find((key) => value[key] === undefined);
  if (missing !== undefined) return `${place(missing)} is missing`;
  return first(Object.keys(value), (key) => {
    const rules = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (value[key] === undefined) return undefined;
    if (rules !== false) return faultOf(value[key], rules, place(key));
    return `unknown option '${place(key)}' (known are ${Object.keys(properties).join(', ')})`;
  });
}

function first(values, faultOfEach) {
  for (const [i, each] of values.entries()) {
    const fault = faultOfEach(each, i);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function shown(value) {
  return typeof value === 'function' ? 'a function' : JSON.stringify(value) ?? String(value);
}

// Returns the options, or throws a TypeError that names the first fault.
function checked(options, source) {
  const refuse = (fault) => {
    throw Object.assign(new TypeError(`${source}: ${fault}`), { code: 'ERR_INVALID_ARG_VALUE' });
  };
  const isObject = isOfType(options, 'object');
  const fault = isObject ? faultIn(options, schema, '') : 'the configuration must be an object';
  if (fault !== undefined) refuse(fault);
  const priorities = (options.priorities ?? []).map(({ match, priority }, i) => {
    try {
      return { priority, matches: toMatcher(match) };
    } catch ({ message }) {
      return refuse(`priorities[${i}].match is no pattern, ${shown(match)}: ${message}`);
    }
  });
  return { ...options, priorities };
}

// Reads a file: calls `done(settings)`, at once if it is not an ES module, or `failed(error)`.
// `settings.file` is looked at again for its mode.
function read(name, done, failed) {
  const file = path.resolve(name);
  const take = (options) => {
    done({ ...checked(options, file), file, time: changedAt(file) });
  };
  const ending = path.extname(file);
  if (!['.json', '.mjs', '.cjs'].includes(ending)) {
    const expected = 'observe, enforce, off, or the name of a file in .json, .mjs or .cjs';
    throw new Error(`UV_SCHEDULER_GUARD must be ${expected}, but is ${JSON.stringify(name)}`);
  }
  if (ending === '.json') take(parse(file));
  else if (ending === '.cjs') take(require(file));
  else importFile(file).then((options) => take(options)).catch(failed);
}

const changedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

function parse(file) {
  const text = readFileSync(file, 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SyntaxError(`${file}: ${error.message}`, { cause: error });
  }
}

// `time` tells an ES module that has changed from the one before.
async function importFile(file, time = undefined) {
  const url = pathToFileURL(file);
  if (time !== undefined) url.searchParams.set('time', time);
  return (await import(url)).default;
}

// Calls `changed(mode)` with the mode of a file that has changed.
class Watcher {
  #file;
  #time;

  // `time` is when it had changed last.
  constructor(file, time) {
    this.#file = file;
    this.#time = time;
  }

  // Returns a promise.
  async look(changed) {
    const time = changedAt(this.#file);
    if (time === undefined || time === this.#time) return;
    this.#time = time;
    changed(checked(await this.#read(time), this.#file).mode ?? 'observe');
  }

  #read(time) {
    const file = this.#file;
    if (file.endsWith('.json')) return parse(file);
    if (file.endsWith('.mjs')) return importFile(file, time);
    delete require.cache[require.resolve(file)];
    return require(file);
  }
}

module.exports = { Watcher, checked, read };
