'use strict';

// What a binary needs of the system that loads it, as GNU's readelf and objdump show it.

const { output } = require('./process');

// The newest of these versions of glibc's symbols.
function newest(versions) {
  const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true });
  return [...new Set(versions)].sort(compare).at(-1);
}

// Returns what a Linux binary needs: its newest version of a glibc symbol, or its C library.
function neededOnLinux(file) {
  const libraries = output('readelf', ['--dynamic', '--wide', file]);
  const symbols = output('readelf', ['--dyn-syms', '--wide', file]);
  if (libraries === null || symbols === null) return 'unknown (no readelf)';
  const version = newest(symbols.match(/(?<=@)GLIBC_[\d.]+/g) ?? []);
  const names = [...libraries.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
  return version ?? names.join(', ');
}

// Returns the libraries that a Windows binary needs.
function neededOnWindows(file) {
  const headers = output('objdump', ['--private-headers', file]);
  // There may be no objdump, or one that does not know the processor.
  if (headers === null) return 'unknown';
  const names = [...headers.matchAll(/DLL Name: (.*)/g)].map(([, name]) => name.trim());
  return [...new Set(names.map((name) => name.replace(/^api-ms-win-.*/, 'ucrt')))].join(', ');
}

function needed(platform, file) {
  if (platform.startsWith('linux-')) return neededOnLinux(file);
  return platform.startsWith('win32-') ? neededOnWindows(file) : 'system libraries';
}

module.exports = { needed };
