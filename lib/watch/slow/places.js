'use strict';

// The places that a stack names, as Node writes it.

const { pathToFileURL } = require('node:url');
const { ownManifest } = require('../../loading/manifest.js');

// A line of a stack that names a place in a source.
const PLACE = /^ {4}at (?:.* \()?(.*:\d+:\d+)\)?$/;

// The place in a line of a stack, as `file:line:column`; undefined if it names none.
function placeIn(line) {
  return PLACE.exec(line)?.[1];
}

let folders;

// The folder of this package's code, as a path and as a URL. None in a bundle, which has the
// program's code in the same folder or file. Looked up for the first report.
function ownFolders() {
  folders ??= ownManifest() === undefined ? [] : [__dirname, pathToFileURL(__dirname).href];
  return folders;
}

// Whether a file or place belongs to this package, as far as that is known, or to Node.
function isOurs(scriptName) {
  return scriptName.startsWith('node:') ||
    ownFolders().some((folder) => scriptName.startsWith(folder));
}

// The place in the program that has called this package, as `file:line:column`; undefined if it is
// unknown.
function placeOfCaller() {
  if (ownFolders().length === 0) return undefined;
  const { stack } = new Error();
  const places = stack.split('\n').map(placeIn);
  return places.find((place) => place !== undefined && !isOurs(place));
}

module.exports = { isOurs, placeIn, placeOfCaller };
