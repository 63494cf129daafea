'use strict';

// A command that computes.

const { program } = require('commander');

function plantedPrimes(limit) {
  const primes = [];
  for (let i = 2; i < limit; i++) if (primes.every((prime) => i % prime > 0)) primes.push(i);
  return primes;
}

program.argument('<limit>', 'the largest number', Number)
  .action((limit) => console.log(plantedPrimes(limit).length));
program.parse();
