'use strict';

// The rule of `npm run lint` for the numbers in tables of measurements.
// @host any

const assert = require('node:assert/strict');
const { check } = require('../../scripts/setup/numbers.js');

const RESULTS = `
## One
| | p50 | share |
| --- | --- | --- |
| **a load** | | |
| plain | 58.5 | 0.77 |
| ours | 1040 | 1.00 |
| **another** | | |
| plain | 7 | 8 |
| late | 3 | 4 |

NOT VALID  another, late: visitors were sent late

## Two
| | p50 |
| --- | --- |
| plain | 99 |

NOT VALID  processes are not bound to processors
`;

const LINK = '[results](https://example.com/bench/results/x.md)';

// The faults of a table with a row.
const faultsOf = (row, link = LINK) =>
  check('docs/x.md', `# X\n${link}\n\n| | p50 |\n|---|---|\n| ours | ${row} |\n`, () => RESULTS);

describe('a table of measurements', () => {
  it('may have numbers of valid rows, rounded, in other units, and of two rows', () => {
    for (const row of ['59', '58.5', '77 %', '1,040', '1.04 s', '59 → 7 | – → 8', '`x2` | 7']) {
      assert.deepEqual(faultsOf(row), [], row);
    }
  });

  it('has no number that is in no valid row, nor such of three', () => {
    for (const row of ['57', '58.6', '1.05 s', '3', '99', '59 | 1,040 | 7']) {
      assert.equal(faultsOf(row).length, 1, row);
    }
  });

  it('names its results, in its section and maybe by reference', () => {
    assert.deepEqual(faultsOf('7', ''), ['docs/x.md:4: its section names no file of results']);
    assert.deepEqual(faultsOf('7', '[r]\n\n[r]: https://example.com/bench/results/x.md'), []);
    assert.deepEqual(faultsOf('7', `${LINK}\n## Y`).length, 1);
    assert.deepEqual(faultsOf('none, or 7', ''), []);
  });
});
