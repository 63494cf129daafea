'use strict';

// The documents of the repository, and the examples in them.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const ROOT = path.resolve(__dirname, '../..');

// Folders whose documents are not the repository's.
const FOREIGN = new Set(['.git', 'dist', 'node_modules', 'npm', 'target']);

// The Markdown files below a folder, as paths from the root with slashes.
function documents(folder = '') {
  const entries = fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const place = path.posix.join(folder, entry.name);
    if (entry.isDirectory()) return FOREIGN.has(entry.name) ? [] : documents(place);
    return entry.name.endsWith('.md') ? [place] : [];
  });
}

const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');

const FENCE = /^( *)(`{3,})(\S*) *$/;

// The fenced code blocks of a text: the number of the first line, the language, the code, and
// whether a heading stands between it and the block before.
function codeBlocks(text) {
  const blocks = [];
  let open = null;
  let isFirst = true;
  text.split('\n').forEach((line, index) => {
    const [, indent, ticks, language] = FENCE.exec(line) ?? [];
    if (open === null) {
      if (/^#+ /.test(line)) isFirst = true;
      if (ticks === undefined) return;
      open = { line: index + 1, language, code: '', isFirst, indent, ticks };
    } else if (ticks === open.ticks && language === '') {
      blocks.push(open);
      open = null;
      isFirst = false;
    } else {
      open.code += `${line.slice(open.indent.length)}\n`;
    }
  });
  return blocks;
}

const EXAMPLES = new Set(['js', 'mjs', 'cjs', 'ts']);

const PRINTS = /\/\/ prints: (.*)$/gm;

// The examples of a text, each with what it prints: the next block of the section if that is
// `text`, or what its comments `// prints: …` say.
function examples(text) {
  const blocks = codeBlocks(text);
  return blocks.flatMap(({ line, language, code }, index) => {
    if (!EXAMPLES.has(language)) return [];
    const next = blocks[index + 1];
    const comments = Array.from(code.matchAll(PRINTS), ([, said]) => `${said}\n`);
    const isOutput = next?.language === 'text' && !next.isFirst;
    return [{ line, language, code, prints: isOutput ? next.code : comments.join('') }];
  });
}

const unindented = (text) => text.replace(/^ +/gm, '');

// Asserts that the blocks of JavaScript in a document are lines of these files, whatever the
// indentation.
function assertShows(document, files) {
  const sources = files.map((file) => unindented(fs.readFileSync(file, 'utf8')));
  const blocks = codeBlocks(read(document)).filter(({ language }) => language === 'javascript');
  assert.ok(blocks.length > 0);
  const isThere = ({ code }) => sources.some((text) => text.includes(unindented(code)));
  assert.deepEqual(blocks.filter((block) => !isThere(block)).map(({ line }) => line), []);
}

// The health check of docs/watching.md with this monitor: a function that reads its answer.
function healthOfDocument(monitor, set = setInterval) {
  const blocks = codeBlocks(read('docs/watching.md'));
  const { code } = blocks.find((block) => block.code.includes('let isHealthy'));
  const [text] = /^let last;$[^]*?\.unref\(\);$/m.exec(code);
  return new Function('monitor', 'setInterval', `${text} return () => isHealthy;`)(monitor, set);
}

module.exports = { ROOT, assertShows, codeBlocks, documents, examples, healthOfDocument, read };
