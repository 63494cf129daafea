'use strict';

// How the file of a trace writes numbers, digit by digit, in groups; and replaces unfinished
// events.

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { TraceFile, bytes } = require('../../lib/watch/trace-file.js');
const { useFolder } = require('../helpers/folders.js');

// Numbers around each power of ten, and some with other digits.
const NUMBERS = [0, 1, 7, 123_456_789, 2 ** 31 - 1, 2 ** 31, 4_807_026_351_982];
for (let power = 10; power <= 1e15; power *= 10) NUMBERS.push(power - 1, power, power + 1);

describe('the file of a trace', () => {
  const inFolder = useFolder();

  // The text that `write(file)` has written after the first bracket.
  function written(write) {
    const name = inFolder('trace.json');
    const file = new TraceFile(name);
    file.begin(bytes(','));
    write(file);
    file.end();
    return fs.readFileSync(name, 'latin1').slice('['.length, -'\n]\n'.length);
  }

  it('has whole numbers as they are, and nanoseconds as microseconds with three decimals', () => {
    const expected = NUMBERS.map((number) => {
      const digits = String(number).padStart(4, '0');
      return `${number} ${digits.slice(0, -3)}.${digits.slice(-3)}\n`;
    });
    // Times that follow each other share some of their digits, or none.
    for (const list of [expected, [...expected].reverse()]) {
      const text = written((file) => {
        for (const line of list) {
          const [number] = line.split(' ');
          file.integer(Number(number));
          file.put(bytes(' '));
          file.microseconds(Number(number));
          file.put(bytes('\n'));
        }
      });
      assert.equal(text, list.join(''));
    }
  });
});
