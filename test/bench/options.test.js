'use strict';

// The command lines of the benchmarks: their defaults, those with --quick, their errors and help.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');

const OPTIONS = path.join(__dirname, '../../bench/harness/options.js');

const PROGRAM = `
  const { choices, createOptions, flag, number, numbers } = require(${JSON.stringify(OPTIONS)});
  const options = createOptions('bench it', 'About it.', {
    seconds: number('measure for N seconds', 10, { min: 1, max: 60, quick: 2 }),
    loads: numbers('at these loads', [0.5, 0.8], { min: 0.1, max: 2, quick: [0.8] }),
    only: choices('only these of', ['first', 'second', 'third']),
    quick: flag('a short run'),
  });
  console.log(JSON.stringify(options(process.argv.slice(1))));
`;

// Resolves to what a program with these options prints.
function run(...args) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath, ['-e', PROGRAM, '--', ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const valuesOf = (...args) => JSON.parse(run(...args).stdout);

describe('the options of a benchmark', () => {
  it('have their defaults, and others with --quick', () => {
    const { seconds, loads, only, json, node } = valuesOf();
    assert.deepEqual({ seconds, loads, only, json, node }, {
      seconds: 10, loads: [0.5, 0.8], only: ['first', 'second', 'third'], json: null, node: null,
    });
    const quick = valuesOf('--quick', '--loads', '1,2,1');
    assert.equal(quick.seconds, 2);
    assert.deepEqual(quick.loads, [1, 2]);
  });

  it('have choices in their order, whichever way they are named', () => {
    assert.deepEqual(valuesOf('--only', 'third, first').only, ['first', 'third']);
  });

  it('have one version of Node, or all', () => {
    assert.equal(valuesOf('--node', '24').node, 24);
    assert.equal(valuesOf('--node', 'all').node, 'all');
  });

  const errors = {
    "'--seconds <N>' argument '0' is invalid. It must be a number from 1 to 60": ['--seconds', '0'],
    "'--loads <LIST>' argument '1,' is invalid. It must be a list, each a number from 0.1 to 2":
      ['--loads', '1,'],
    "'--only <LIST>' argument 'fourth' is invalid. It must be a list, each of first, second, third":
      ['--only', 'fourth'],
    "'--json <FILE>' argument '' is invalid. It must be a path": ['--json='],
    "unknown option '--nothing'": ['--nothing'],
  };
  for (const [text, args] of Object.entries(errors)) {
    it(`say what is wrong: ${text}`, () => {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: 'null\n' });
      const [message] = stderr.split('\n');
      assert.ok(message.startsWith('error: ') && message.includes(text), stderr);
      assert.match(stderr, /^ {2}--seconds <N> {2,}measure for N seconds \(default: 10\)$/m);
    });
  }

  it('are explained by --help', () => {
    const { status, stdout } = run('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: npm run bench it -- \[options\]\n\nAbout it\.\n/);
    assert.match(stdout, /^ {2}--only <LIST> {2,}only these of first, .* third \(default: all\)$/m);
  });
});
