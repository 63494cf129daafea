'use strict';

// How the file of a trace writes numbers, digit by digit, in groups.
// @host portable

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { TraceFile, bytes } = require('../../lib/watch/trace-file.js');
const { useFolder } = require('../helpers/folders.js');

// Numbers around each power of ten, and some with other digits.
const NUMBERS = [0, 1, 7, 123_456_789, 2 ** 31 - 1, 2 ** 31, 4_807_026_351_982];
for (let power = 10; power <= 1e15; power *= 10) NUMBERS.push(power - 1, power, power + 1);

describe('the file of a trace', () => {
  const inFolder = useFolder();

  it('has whole numbers as they are, and nanoseconds as microseconds with three decimals', () => {
    const expected = NUMBERS.map((number) => {
      const digits = String(number).padStart(4, '0');
      return [number, `${number} ${digits.slice(0, -3)}.${digits.slice(-3)}\n`];
    });
    // Times that follow each other share some of their digits, or none.
    for (const list of [expected, expected.toReversed()]) {
      const file = new TraceFile(inFolder('trace.json'));
      file.begin(bytes(','));
      for (const [number] of list) {
        file.integer(number);
        file.put(bytes(' '));
        file.microseconds(number);
        file.put(bytes('\n'));
      }
      file.end();
      const text = fs.readFileSync(inFolder('trace.json'), 'latin1');
      assert.equal(text, `[${list.map(([, line]) => line).join('')}\n]\n`);
    }
  });
});
