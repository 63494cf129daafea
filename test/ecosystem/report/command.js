'use strict';

// A command that computes.

const { program } = require('commander');

function plantedSum(limit) {
  let sum = 0;
  for (let i = 0; i < limit; i++) sum += Math.sqrt(i);
  return sum;
}

program.argument('<limit>', 'the largest number', Number)
  .action((limit) => console.log(plantedSum(limit)));
program.parse();
