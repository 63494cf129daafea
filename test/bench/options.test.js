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

const run = (...args) =>
  spawnSync(process.execPath, ['-e', PROGRAM, '--', ...args], { encoding: 'utf8' });

describe('the options of a benchmark', () => {
  it('have their defaults, others with --quick, and values that are converted', () => {
    const defaults = {
      seconds: 10, loads: [0.5, 0.8], only: ['first', 'second', 'third'], quick: false, json: null,
      node: null,
    };
    for (const [args, expected] of [
      [[], {}],
      [['--quick', '--loads', '1,2,1'], { quick: true, seconds: 2, loads: [1, 2] }],
      [['--only', 'third, first', '--node', '24'], { only: ['first', 'third'], node: 24 }],
      [['--node', 'all'], { node: 'all' }],
    ]) {
      assert.deepEqual(JSON.parse(run(...args).stdout), { ...defaults, ...expected });
    }
  });

  it('say what is wrong', () => {
    for (const [text, ...args] of [
      ["'--seconds <N>' argument '0' is invalid. It must be a number from 1 to 60",
        '--seconds', '0'],
      ["argument '1,' is invalid. It must be a list, each a number from 0.1 to 2", '--loads', '1,'],
      ["argument 'fourth' is invalid. It must be a list, each of first, second, third",
        '--only', 'fourth'],
      ["'--json <FILE>' argument '' is invalid. It must be a path", '--json='],
      ["unknown option '--nothing'", '--nothing'],
    ]) {
      const { status, stdout, stderr } = run(...args);
      assert.deepEqual({ status, stdout }, { status: 2, stdout: 'null\n' });
      const [message] = stderr.split('\n');
      assert.ok(message.startsWith('error: ') && message.includes(text), stderr);
    }
  });

  it('are explained by --help', () => {
    const { status, stdout } = run('--help');
    assert.equal(status, 0);
    assert.match(stdout, /^Usage: npm run bench it -- \[options\]\n\nAbout it\.\n/);
    assert.match(stdout, /^ {2}--seconds <N> {2,}measure for N seconds \(default: 10\)$/m);
    assert.match(stdout, /^ {2}--only <LIST> {2,}only these of first, .* third \(default: all\)$/m);
  });
});
