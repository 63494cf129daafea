'use strict';

// The options of `npm run bench`.

const { createOptions, flag, number, regex } = require('../options');

const ABOUT = 'Tasks of this scheduler and of its peers, case by case, with the goals beside them.';

const readOptionsOrExplain = createOptions('bench', ABOUT, {
  only: regex('run only the cases whose names match'),
  rounds: number('measure every contender N times', 5,
    { min: 1, max: 1000, isInteger: true, quick: 2 }),
  quick: flag('fewer and smaller runs, without the cases of 10^6 tasks and those that take longer: '
    + 'half a minute'),
  list: flag('print the names of the cases'),
});

module.exports = { readOptionsOrExplain };
