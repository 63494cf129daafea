'use strict';

// The TypeScript compilers, declarations of Node and linters of packages that types.test.js runs.
// They come from the dependencies in this folder.

const { finder } = require('../../helpers/installed.js');

const find = finder('types');

function compiler(name, folder) {
  return { name, tsc: find(`TypeScript ${name}`, folder, 'bin', 'tsc') };
}

// TypeScript 7 is a native program, in a package that is named after its platform.
find('TypeScript 7', '@typescript', `typescript-${process.platform}-${process.arch}`);

module.exports = {
  compilers: [
    compiler('5.4', 'typescript54'),
    compiler('5.9', 'typescript59'),
    compiler('6', 'typescript6'),
    compiler('7', 'typescript7'),
  ],
  nodeTypes: {
    20: find('@types/node 20', 'types-node20'),
    26: find('@types/node 26', 'types-node26'),
  },
  attw: find('attw', '@arethetypeswrong', 'cli', 'dist', 'index.js'),
  publint: find('publint', 'publint', 'src', 'cli.js'),
};
