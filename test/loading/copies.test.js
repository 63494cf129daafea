'use strict';

// The package loaded more than once into a process: copies in one realm with one protocol share a
// scheduler, others do not disturb each other.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { useFolder } = require('../helpers/folders.js');
const { PROTOCOL } = require('../../lib/loop/protocol.js');
const { FIXTURES, LIMIT, ROOT, assertOnEachNode, order } = require('../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'copies.js');

const ONE_ORDER =
  'true 1-user-blocking 2-user-blocking raised 1-user-visible 2-user-visible ' +
  '1-background 2-background';

// A copy with this version and this protocol.
function copyPackage(target, { version, protocol = PROTOCOL } = {}) {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  const binaries = fs.readdirSync(ROOT).filter((name) => name.endsWith('.node'));
  for (const name of ['register.js', 'dist', ...binaries]) {
    fs.cpSync(path.join(ROOT, name), path.join(target, name), { recursive: true });
  }
  manifest.version = version ?? manifest.version;
  fs.writeFileSync(path.join(target, 'package.json'), JSON.stringify(manifest));
  const file = path.join(target, 'dist', 'index.js');
  const source = fs.readFileSync(file, 'utf8');
  const definition = /(PROTOCOL\d*) = \d+;/;
  assert.match(source, definition);
  fs.writeFileSync(file, source.replace(definition, `$1 = ${protocol};`));
  return target;
}

// The output of a program.
function evaluate(program) {
  return execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' });
}

describe('copies of the package', () => {
  const inFolder = useFolder();
  let copies;

  before(() => {
    copies = {
      a: copyPackage(inFolder('a')),
      older: copyPackage(inFolder('older'), { version: '0.0.1' }),
      foreign: copyPackage(inFolder('foreign'), { protocol: PROTOCOL + 1 }),
      alike: copyPackage(inFolder('alike'), { protocol: PROTOCOL + 1, version: '9.9.9' }),
    };
  });

  for (const [title, way, names, expected] of [
    ['of two versions with one protocol share one scheduler, one order and the first one’s exports',
      'one order', ['a', 'older'], ONE_ORDER],
    ['share them whichever version is the first', 'one order', ['older', 'a'], ONE_ORDER],
    ['with different protocols have schedulers of their own, and both finish their tasks',
      'two schedulers', ['a', 'foreign'], 'false 0 left'],
    ['with different protocols treat each other’s TaskSignals as plain AbortSignals',
      'signals of the other', ['a', 'foreign'], 'user-visible foreign aborted'],
    ['in two contexts have schedulers of their own, and both finish their tasks',
      'two contexts', ['a', 'older'], 'false 0 left'],
    ['in two contexts finish their tasks even if they share one native module',
      'one native module in two contexts', ['a'], 'false 0 0 left'],
  ]) {
    it(title, async () => {
      const args = [PROGRAM, way, ...names.map((name) => copies[name])];
      await assertOnEachNode(expected, (node) => order(node, args, expected));
    }).timeout(LIMIT);
  }

  // In a process of its own: Windows does not remove the files of a loaded addon.
  it('with the same protocol share a scheduler in any order of loading', () => {
    const { a, foreign, alike } = copies;
    const program = `
      const [first, second, third] = ${JSON.stringify([a, foreign, alike])}.map((each) => {
        return require(each);
      });
      const found = globalThis[Symbol.for('uv-scheduler.binding')].get(${PROTOCOL + 1});
      console.log(first.scheduler === second.scheduler, second === third, second === found);
    `;
    assert.equal(evaluate(program), 'false true true\n');
  });

  it('refuse an addon whose numbers are not theirs, and name the first that differs', () => {
    const target = copyPackage(inFolder('mixed'));
    const file = path.join(target, 'dist', 'index.js');
    const source = fs.readFileSync(file, 'utf8');
    fs.writeFileSync(file, source.replace('CAPACITY: 255', 'CAPACITY: 100'));
    const name = JSON.stringify(target);
    const program = `try { require(${name}) } catch (error) { console.log(error.message) }`;
    const printed = evaluate(program);
    assert.match(printed, /different versions: CAPACITY is 100 in JavaScript and 255 in the addon/);
  });
});
