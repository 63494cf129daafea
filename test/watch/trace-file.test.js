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

  it('replaces an unfinished event, also by less', () => {
    const text = written((file) => {
      for (const unfinished of ['unfinished', 'a longer unfinished one', '']) {
        file.put(bytes('x'));
        file.putUnfinished = () => file.put(bytes(unfinished));
        file.flush();
      }
    });
    assert.equal(text, 'xxx');
  });

  it('has whole numbers as they are', () => {
    for (const number of NUMBERS) {
      assert.equal(written((file) => file.integer(number)), String(number));
    }
  });

  it('has nanoseconds as microseconds with three decimals', () => {
    for (const number of NUMBERS) {
      const digits = String(number).padStart(4, '0');
      const expected = `${digits.slice(0, -3)}.${digits.slice(-3)}`;
      assert.equal(written((file) => file.microseconds(number)), expected);
    }
  });

  it('has times that follow each other, whatever they have in common', () => {
    const times = [1_234_567, 1_234_999, 5_678_901, 999, 1_234_567];
    const expected = ['1234.567', '1234.999', '5678.901', '0.999', '1234.567'].join();
    const text = written((file) => {
      for (const [i, time] of times.entries()) {
        if (i > 0) file.put(bytes(','));
        file.microseconds(time);
      }
    });
    assert.equal(text, expected);
  });
});
