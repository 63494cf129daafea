'use strict';

// Runs a benchmark: reads its options, lets it measure, prints the results and writes them.

const fs = require('node:fs');
const path = require('node:path');

const { createChildren } = require('../examples/docs-site/children');
const { createProgress } = require('../examples/docs-site/progress');

const writeJson = (file, results) =>
  fs.writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);

// With several versions of Node each has its own file.
function fileOf(file, { node }) {
  if (node !== 'all') return file;
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}-${process.versions.node.split('.')[0]}${ext}`);
}

/** Fails now, rather than after minutes of measuring, if the results cannot be written. */
function checkFile(file) {
  if (path.extname(file) === '') fs.mkdirSync(file, { recursive: true });
  else fs.closeSync(fs.openSync(file, 'a'));
}

/**
 * `measure(options, { startChild, createProgress })` resolves to an object of results. `outputs`
 * are functions by options with a path: each writes the results to that file or folder.
 */
async function runBenchmark({ command, readOptions, measure, print, outputs = {} }) {
  const options = readOptions(process.argv.slice(2));
  if (options === null) return;
  const { startChild, finish } = createChildren(command);
  process.on('SIGINT', () => finish(new Error('interrupted'), 130));
  process.on('SIGTERM', () => finish(new Error('terminated'), 143));
  const writers = Object.entries({ json: writeJson, ...outputs })
    .filter(([name]) => options[name])
    .map(([name, write]) => ({ file: fileOf(options[name], options), write }));
  try {
    for (const { file } of writers) checkFile(file);
    const measured = await measure(options, { startChild, createProgress });
    const results = { node: process.version, options, ...measured };
    print(results);
    for (const { file, write } of writers) await write(file, results);
    finish(undefined, process.exitCode);
  } catch (error) {
    finish(error);
  }
}

module.exports = { runBenchmark };
