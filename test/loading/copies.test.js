'use strict';

// The package loaded more than once into a process: copies in one realm with one protocol share a
// scheduler, others do not disturb each other.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { copyPackage, useFolder } = require('../helpers/folders.js');
const { PROTOCOL } = require('../../lib/loop/protocol.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, order } = require('../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'copies.js');

const ONE_ORDER =
  'true 1-user-blocking 2-user-blocking raised 1-user-visible 2-user-visible ' +
  '1-background 2-background';

// A copy of the package with its binary, this version, and a change of its code.
function makeCopy(target, { version, find = /(PROTOCOL\d*) = \d+;/, replace = '$&' } = {}) {
  copyPackage(target);
  for (const name of fs.readdirSync(ROOT).filter((each) => each.endsWith('.node'))) {
    fs.copyFileSync(path.join(ROOT, name), path.join(target, name));
  }
  const edit = (name, pattern, text) => {
    const file = path.join(target, name);
    const source = fs.readFileSync(file, 'utf8');
    assert.match(source, pattern);
    fs.writeFileSync(file, source.replace(pattern, text));
  };
  edit('dist/index.js', find, replace);
  if (version !== undefined) edit('package.json', /"version": ".*"/, `"version": "${version}"`);
  return target;
}

describe('copies of the package', () => {
  const inFolder = useFolder();
  let copies;

  before(() => {
    const replace = `$1 = ${PROTOCOL + 1};`;
    copies = {
      a: makeCopy(inFolder('a')),
      older: makeCopy(inFolder('older'), { version: '0.0.1' }),
      foreign: makeCopy(inFolder('foreign'), { replace }),
      alike: makeCopy(inFolder('alike'), { replace, version: '9.9.9' }),
    };
  });

  for (const [title, way, names, expected, first] of [
    ['of two versions with one protocol share one scheduler, one order and the first one’s exports',
      'one order', ['a', 'older'], ONE_ORDER],
    ['share them whichever version is the first', 'one order', ['older', 'a'], ONE_ORDER],
    ['share them behind one of another protocol',
      'one order', ['foreign', 'alike'], ONE_ORDER, 'a'],
    ['share the controller of a request', 'one request', ['a', 'older'], 'background true'],
    ['with different protocols have schedulers of their own, and both finish their tasks',
      'two schedulers', ['a', 'foreign'], 'false 0 left'],
    ['with different protocols treat each other’s TaskSignals as plain AbortSignals',
      'signals of the other', ['a', 'foreign'], 'user-visible foreign aborted'],
    ['in two contexts finish their tasks even if they share one native module',
      'one native module in two contexts', ['a'], 'false 0 0 left'],
  ]) {
    it(title, async () => {
      const flags = first === undefined ? [] : ['--require', copies[first]];
      const isMixed = !title.includes('one protocol') && names.includes('foreign');
      const stderr = isMixed ? /UV_SCHEDULER_TWO_VERSIONS.*npm ls/ : undefined;
      const args = [...flags, PROGRAM, way, ...names.map((name) => copies[name])];
      await assertOnEachNode(expected, (node) => order(node, args, { stderr }));
    }).timeout(LIMIT);
  }

  it('refuse an addon whose numbers are not theirs, and name the first that differs', () => {
    const change = { find: /CAPACITY: 255/, replace: 'CAPACITY: 100' };
    const target = JSON.stringify(makeCopy(inFolder('mixed'), change));
    const program = `try { require(${target}) } catch (error) { console.log(error.message) }`;
    // In a process of its own: Windows does not remove the files of a loaded addon.
    const printed = execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' });
    assert.match(printed, /different versions: CAPACITY is 100 in JavaScript and 255 in the addon/);
  });
});
