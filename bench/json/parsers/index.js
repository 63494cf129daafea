'use strict';

// The ways to parse a long text that are compared. Each gets its bytes, as a server has them once a
// body is complete, and resolves to the value. Of parsers that take chunks, each is as long as one
// that a socket hands over.

const { Readable } = require('node:stream');
const { nextImmediate } = require('../../harness/spin');

const CHUNK = 65_536;

// As long as uv-scheduler lets a task go on while others wait, in ms.
const SLICE = 5;

function* chunksOf(bytes) {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

async function* withImmediates(chunks) {
  let last = performance.now();
  for (const chunk of chunks) {
    yield chunk;
    if (performance.now() - last < SLICE) continue;
    await nextImmediate();
    last = performance.now();
  }
}

async function streamJson(bytes) {
  const { parserStream } = await import('stream-json');
  const { default: Assembler } = await import('stream-json/assembler.js');
  const parser = parserStream();
  const assembler = Assembler.connectTo(parser);
  return new Promise((resolve, reject) => {
    parser.on('error', reject).on('end', () => resolve(assembler.current));
    Readable.from(chunksOf(bytes)).pipe(parser);
  });
}

const yieldable = (bytes) => new Promise((resolve, reject) => {
  const { parseAsync } = require('yieldable-json');
  parseAsync(bytes.toString(), (error, value) => (error ? reject(error) : resolve(value)));
});

// `cut` makes of the chunks those that the parser asks for.
const parseChunks = (cut) => (bytes) =>
  require('@discoveryjs/json-ext').parseChunked(cut(chunksOf(bytes)));

// By name; `root` is the path of the package.
const PARSERS = {
  'JSON.parse': () => async (bytes) => JSON.parse(bytes.toString()),
  'yieldable-json': () => yieldable,
  'stream-json': () => streamJson,
  'parseChunked()': () => parseChunks((chunks) => chunks),
  'parseChunked(), setImmediate each 5 ms': () => parseChunks(withImmediates),
  'parseChunked(pieces())': (root) => parseChunks(require(root).pieces),
};

module.exports = { NAMES: Object.keys(PARSERS), createParser: (name, root) => PARSERS[name](root) };
