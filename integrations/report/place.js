'use strict';

// The place in a program that a report names: the innermost function of the program itself that,
// with its calls, took half of the time; failing that, one of a package. And the kind of work that
// it is, with the section of the documents that fits.

const fs = require('node:fs');
const path = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { undocumented } = require('../internal.js');

const { NATIVE_CALL, isGarbageCollection, isRegularExpression } = undocumented;

const HALF = 0.5;

// A native function with at least this share of the time is a native call, and not a loop of many.
const ALMOST_ALL = 0.8;

// A line that runs regular expressions has this share of the time if one of them has exploded. A
// loop of many allocates and calls other functions as well.
const WHOLE = 0.95;

// A longer file or line is not read for calls, as bundles have them.
const LONGEST_FILE = 2 ** 22;
const LONGEST_LINE = 1000;

// A function that begins behind this column is one of many on its line, as in minified files.
const WIDEST = 100;

// The names of regular expressions are their sources.
const LONGEST_NAME = 60;

// A place in a callback that was mostly a garbage collection needs this time, in ms.
const FEW = 20;

// V8 tells the stack of a native call when that has returned. Often the callback has then ended.
const LAST_CALL = 'a native call at the end of a callback (UV_SCHEDULER_REPORT_PROFILE=1 names it)';

const NONE = { functionName: 'an unknown function', scriptName: '', self: 0, total: 0 };

const DOCUMENTS = 'https://github.com/uv-scheduler/uv-scheduler/blob/main/docs/';

// By kind: how a summary names it, and the section on it.
const KINDS = {
  'start-up': ['start-up', 'watching.md#before-you-change-a-line'],
  'loading': ['loading of modules', 'watching.md#before-you-change-a-line'],
  'garbage-collection': ['garbage collections', 'watching.md#is-it-garbage-collection'],
  'react': ['a render of React', 'frameworks.md#react'],
  'graphql': ['an execution of GraphQL', 'frameworks.md#graphql'],
  'json-parse': ['JSON.parse()', 'guide.md#a-large-request-body'],
  'json-stringify': ['JSON.stringify()', 'frameworks.md#json-and-csv'],
  'regular-expression': ['a regular expression', 'guide.md#a-regular-expression'],
  'child-process': ['a child process; spawn() does not wait', 'guide.md#one-long-call'],
  'file': ['synchronous files; node:fs/promises does not wait', 'guide.md#one-long-call'],
  'crypto': ['cryptography; its asynchronous form takes a thread', 'guide.md#one-long-call'],
  'compression': ['compression; its asynchronous form takes a thread', 'guide.md#one-long-call'],
  'sqlite': ['a query of SQLite; a worker can wait for it', 'guide.md#one-long-call'],
  'native': ['a native call', 'guide.md#one-long-call'],
  'node': ["Node's own work", 'guide.md#one-long-call'],
  'package': ['a call of a package', 'frameworks.md#what-cannot-be-cut'],
  'code': ['own code', 'guide.md#split-a-loop'],
};

const titleOf = (kind) => KINDS[kind][0];
const linkTo = (kind) => DOCUMENTS + KINDS[kind][1];

const FOLDER_URL = pathToFileURL(__dirname).href;

// Node's functions, native ones, and those of WebAssembly, as in Node's parser of HTTP.
const isNative = ({ scriptName }) => scriptName === '' || /^(?:node|wasm):/.test(scriptName);
const isOurs = ({ scriptName }) =>
  scriptName.startsWith(__dirname) || scriptName.startsWith(FOLDER_URL);
const isInPackage = ({ scriptName }) => /[/\\]node_modules[/\\]/.test(scriptName);
const isInProgram = (frame) => !isNative(frame) && !isInPackage(frame);
const isLoader = ({ scriptName }) => LOADER.test(scriptName);
const isMinified = ({ columnNumber }) => columnNumber > WIDEST;

// Node's loading of modules, with what it compiles and reads of them.
const LOADER = /^node:internal\/(?:modules|deps\/(?:amaro|cjs-module-lexer))\//;

// Node's parser of the body of an answer of fetch().
const FETCHED_JSON = /^parseJSON/;

// A call that runs a regular expression. Strings and databases have some of these methods, too.
const MATCHES = new RegExp([
  /\.(?:test|match|matchAll|search)\(|\.(?:replace|replaceAll|split)\((?!['"`])/,
  /(?:\/[dgimsuvy]*|\bre|[Rr]eg[Ee]xp?|[Pp]attern)\.exec\(/,
].map(({ source }) => source).join('|'));

// Work that waits for others, or that Node does elsewhere in an asynchronous form.
const SYNCHRONOUS = {
  'child-process': /^node:(?:internal\/)?child_process/,
  'file': /^node:(?:internal\/)?fs(?:\/|$)/,
  'crypto': /^node:(?:internal\/)?crypto/,
  'compression': /^node:(?:internal\/)?zlib/,
  'sqlite': /^node:sqlite|[/\\]node_modules[/\\](?:better-)?sqlite3?[/\\]/,
};

// The same on a line of the program, where V8 has told the stack behind the call.
const SYNC = /\b(\w+)Sync\(/;
const CALLS = {
  'child-process': /^(?:exec|spawn)/,
  'crypto': /^(?:pbkdf2|scrypt|argon2|hkdf|generate|random|hash|compare)/,
  'compression': /(?:zip|flate|Raw|brotli|zstd)/i,
  'file': /./,
};

// The work of React. Next.js has it in files of its own.
const REACT = [
  /[/\\](?:react-dom|react-server-dom)/,
  /[/\\]next[/\\]dist[/\\]compiled[/\\]next-server[/\\]app-page/,
];

// The executor is that of GraphQL Yoga.
const GRAPHQL = /[/\\]node_modules[/\\](?:graphql|@graphql-tools[/\\]executor)[/\\]/;

// Whether a callback is the report's own. Other code of the package also calls the program.
const isOfReport = ({ duration, functions = [], stack = [] }) => {
  const time = duration - garbageIn(functions);
  return [...stack, ...functions].some((frame) => {
    if (!isOurs(frame)) return false;
    const { scriptName, self, total } = frame;
    return (fileOf(scriptName) === __filename ? total : self) >= HALF * time;
  });
};

// Whether a place says more than that something took the time.
const isNamed = (frame) => frame.scriptName !== '' || isGarbageCollection(frame);

function placeIn({ duration, functions = [], stack = [] }) {
  const isTheirs = (frame) => !isGarbageCollection(frame) && !isOurs(frame);
  const frames = [...stack, ...functions].filter(isTheirs);
  // V8 does not tell which function a garbage collection has interrupted.
  const garbage = functions.find(isGarbageCollection);
  const time = duration - (garbage?.self ?? 0);
  if (time < Math.min(FEW, HALF * duration)) return garbage;
  // The innermost first, also where the stack is that of a garbage collection.
  const large = frames.filter(({ total }) => total >= HALF * time)
    .sort((one, other) => one.total - other.total);
  const isNodes = (frame) => isNative(frame) && frame.self >= HALF * duration;
  const found = large.find(isInProgram) ?? large.find(isInPackage) ??
    stack.find((frame) => isInProgram(frame) && isTheirs(frame)) ??
    frames.find(isNodes) ?? frames.find(isInProgram) ?? frames.find(isInPackage);
  if (found !== undefined) return nameable(found);
  if (time < HALF * duration) return garbage;
  return large[0] ?? frames[0] ?? garbage ?? NONE;
}

// The functions of a minified file of a package have no names of use, and are one place.
function nameable(frame) {
  if (!isInPackage(frame) || !isMinified(frame)) return frame;
  const { scriptName, self, total } = frame;
  return { functionName: 'minified code', scriptName, self, total };
}

// The line of a place: where the function and its calls were most of the time. V8's profiler knows
// that of the function itself only: if it took less than half, the line where it begins.
function lineOf({ self, total, lineNumber, hottestLine = lineNumber, line }) {
  return line ?? (self >= HALF * total ? hottestLine : lineNumber);
}

function kindOf({ duration, functions = [], stack = [] }, place) {
  const hottest = functions.find((frame) => !isGarbageCollection(frame)) ?? NONE;
  const isIn = (pattern) => [...stack, hottest].some(({ scriptName }) => pattern.test(scriptName));
  const inner = stack.slice(0, Math.max(0, stack.indexOf(place)));
  const isLoading = isInPackage(place) && isModule(place) || [place, hottest].some(isLoader) ||
    inner.some((frame) => isLoader(frame) && frame.total >= HALF * duration);
  if (isLoading) return 'loading';
  if (REACT.some(isIn)) return 'react';
  if (isIn(GRAPHQL)) return 'graphql';
  const isMost = ({ total }) => total >= HALF * duration;
  const isOf = (pattern) => (frame) => pattern.test(frame.scriptName) && isMost(frame);
  const [synchronous] = Object.entries(SYNCHRONOUS).find(([, pattern]) =>
    [...inner, place].some(isOf(pattern))) ?? [];
  if (synchronous !== undefined) return synchronous;
  const text = textOf(isNative(hottest) ? place : hottest);
  const [, called] = SYNC.exec(text) ?? [];
  if (called !== undefined) return Object.keys(CALLS).find((kind) => CALLS[kind].test(called));
  const [, method] = /\bJSON\.(parse|stringify)\(/.exec(text) ?? [];
  if (method !== undefined) return `json-${method}`;
  const isFetched = (frame) => isNative(frame) && FETCHED_JSON.test(frame.functionName);
  if (isFetched(hottest) || isFetched(place)) return 'json-parse';
  if (garbageIn(functions) >= HALF * duration) return 'garbage-collection';
  const takes = (share) => hottest.self >= share * duration;
  if (isRegularExpression(hottest) && takes(ALMOST_ALL)) return 'regular-expression';
  if (isInProgram(place) && MATCHES.test(text) && takes(WHOLE)) return 'regular-expression';
  if (isNative(hottest) && takes(ALMOST_ALL)) return isNative(place) ? 'node' : 'native';
  if (isNative(place)) return 'node';
  return isInProgram(place) ? 'code' : 'package';
}

// The time of garbage collections in a callback.
const garbageIn = (functions) =>
  functions.find(isGarbageCollection)?.self ?? 0;

// The text of the hottest line of a function, if its file can be read.
function textOf({ scriptName, line, hottestLine = line }) {
  if (hottestLine === undefined) return '';
  try {
    const file = fileOf(scriptName);
    if (fs.statSync(file).size > LONGEST_FILE) return '';
    const line = fs.readFileSync(file, 'utf8').split('\n')[hottestLine - 1] ?? '';
    return line.length > LONGEST_LINE ? '' : line;
  } catch {
    return '';
  }
}

const fileOf = (scriptName) =>
  (scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName);

// Whether a function without a name is the code of a module outside of its functions.
const isModule = ({ functionName, lineNumber, columnNumber }) =>
  functionName === '' && lineNumber === 1 && columnNumber === 1;

const root = folderOfProgram();

// Undefined if the folder was removed.
function folderOfProgram() {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

// The name of a function with its file, relative to the folder of the program, and its line.
function describe(frame) {
  const unnamed = isModule(frame) ? 'the module' : 'an anonymous function';
  const name = frame.functionName || unnamed;
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  if (frame.scriptName === '') return short;
  const file = fileOf(frame.scriptName);
  const isInside = root !== undefined && file.startsWith(root + path.sep);
  const position = [isInside ? path.relative(root, file) : file, lineOf(frame)];
  if (isMinified(frame)) position.push(frame.columnNumber);
  return `${short} (${position.filter((each) => each !== undefined).join(':')})`;
}

const describePlace = (frame) =>
  (frame.functionName === NATIVE_CALL && frame.scriptName === '' ? LAST_CALL : describe(frame));

module.exports = {
  KINDS, NONE, describe, describePlace, fileOf, garbageIn, isNamed, isOfReport, kindOf, lineOf,
  linkTo, nameable, placeIn, titleOf,
};
