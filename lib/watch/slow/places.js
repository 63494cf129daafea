'use strict';

// The places that a stack names, as Node writes it.

const { pathToFileURL } = require('node:url');

// The folder of this package's code.
const FOLDER_URL = pathToFileURL(__dirname).href;

// A line of a stack that names a place in a source.
const PLACE = /^ {4}at (?:.* \()?(.*:\d+:\d+)\)?$/;

// The place in a line of a stack, as `file:line:column`; undefined if it names none.
function placeIn(line) {
  return PLACE.exec(line)?.[1];
}

// Whether a file or place belongs to this package or to Node.
function isOurs(scriptName) {
  return scriptName.startsWith('node:') || scriptName.startsWith(FOLDER_URL) ||
    scriptName.startsWith(__dirname);
}

module.exports = { isOurs, placeIn };
