'use strict';

// Lists the documents: the Markdown files of the installed packages.

const fs = require('node:fs');
const path = require('node:path');

// Enough for a run that takes seconds, and a limit for projects with many more packages.
const MOST_BYTES = 2048 * 1024;

// Hidden and nested folders and tests; legal texts, which are the same in many packages.
const SKIPPED = new RegExp('(^|/)(\\.|node_modules/|__\\w+__/|tests?/|fixtures?/'
  + '|(licen[cs]e|authors|code_of_conduct|contributing|security)\\b[^/]*$)', 'i');

const isReadme = ({ file }) => /^readme\.md$/i.test(file);
const byName = (a, b) => (a < b ? -1 : Number(a > b));

// Symbolic links, such as the project itself, are not followed.
function findMarkdown(modules) {
  return fs.readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.md$/i.test(entry.name))
    .map(({ parentPath, name }) => path.relative(modules, path.join(parentPath, name)))
    .map((place) => place.replaceAll(path.sep, '/'))
    .filter((place) => !SKIPPED.test(place))
    .map((place) => {
      const [, name, file] = /^((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(place) ?? [];
      return { package: name, file, place };
    })
    .filter(({ file }) => file !== undefined);
}

/**
 * Returns the documents below a node_modules directory in a stable order: READMEs, and others as
 * far as they fit. `split(source)` returns what is known of a text.
 */
function loadDocuments(modules, split) {
  const seen = new Set();
  let total = 0;
  return findMarkdown(modules)
    .sort((a, b) => isReadme(b) - isReadme(a) || byName(a.place, b.place))
    .flatMap((doc) => {
      const source = fs.readFileSync(path.join(modules, doc.place), 'utf8');
      const bytes = Buffer.byteLength(source);
      if (source.trim() === '' || seen.has(source) || total + bytes > MOST_BYTES) return [];
      seen.add(source);
      total += bytes;
      return [{
        ...doc, bytes,
        title: isReadme(doc) ? doc.package : doc.place.replace(/\.md$/i, ''),
        url: `/docs/${doc.place.split('/').map(encodeURIComponent).join('/')}`,
        ...split(source),
      }];
    });
}

module.exports = { loadDocuments };
