'use strict';

// Lists the documents: finds the Markdown files of the installed packages, reads each one once, and
// cuts it into sections.

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

// Enough for a run that takes seconds, and a limit for projects with many more packages.
const MAX_TOTAL_BYTES = 2048 * 1024;
// Legal texts and the like are not documentation, and are the same in many packages.
const SKIPPED = /^(licen[cs]e|authors|code_of_conduct|contributing|security)\b/i;

// Test snapshots and fixtures are Markdown only by name; nested packages are left out.
const SKIPPED_FOLDERS = /^(?:\..*|node_modules|__tests__|__snapshots__|tests?|fixtures?)$/i;

const isReadme = (file) => /^readme\.md$/i.test(file);
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Returns the package of an entry of a node_modules directory, and the path in the package. */
function locate(modules, { parentPath, name: base }) {
  const folders = path.relative(modules, parentPath).split(path.sep);
  const name = folders.splice(0, folders[0].startsWith('@') ? 2 : 1).join('/');
  return { name, folders, base, file: [...folders, base].join('/') };
}

/** Returns the Markdown files of all packages. Each README comes first: visitors look for it. */
function findMarkdown(modules) {
  // Symbolic links (linked packages, the project itself) are not followed.
  return fs.readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[^.].*\.md$/i.test(entry.name))
    .map((entry) => locate(modules, entry))
    .filter(({ name, folders, base }) => !name.startsWith('.') && !SKIPPED.test(base)
      && !folders.some((folder) => SKIPPED_FOLDERS.test(folder)))
    .sort((a, b) => byName(a.name, b.name) || isReadme(b.file) - isReadme(a.file)
      || byName(a.file, b.file));
}

/** Chooses the files to serve: READMEs, then others, as far as they fit. The order is stable. */
function choose(modules) {
  const files = findMarkdown(modules);
  const chosen = new Map();
  const seen = new Set();
  let total = 0;
  for (const readmes of [true, false]) {
    for (const entry of files.filter(({ file }) => isReadme(file) === readmes)) {
      const source = fs.readFileSync(path.join(modules, entry.name, entry.file), 'utf8');
      const bytes = Buffer.byteLength(source);
      const hash = crypto.createHash('sha256').update(source).digest('hex');
      if (source.trim() === '' || seen.has(hash) || total + bytes > MAX_TOTAL_BYTES) continue;
      total += bytes;
      seen.add(hash);
      chosen.set(entry, { source, bytes });
    }
  }
  return files.filter((entry) => chosen.has(entry))
    .map((entry) => ({ ...entry, ...chosen.get(entry) }));
}

/**
 * Returns the documents below a node_modules directory in a stable order.
 * @param {string} modules
 * @param {(source: string) => { sections: object[], links: object }} split
 */
function loadDocuments(modules, split) {
  return choose(modules).map(({ name, file, source, bytes }) => ({
    package: name,
    file,
    title: isReadme(file) ? name : `${name}: ${file.replace(/\.md$/i, '')}`,
    url: `/docs/${`${name}/${file}`.split('/').map(encodeURIComponent).join('/')}`,
    bytes,
    ...split(source),
  }));
}

module.exports = { loadDocuments };
