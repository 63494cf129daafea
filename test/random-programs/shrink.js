'use strict';

// Makes a program that failed smaller: steps are left out, as many as possible at once, as long as
// it goes on failing by the same rule. Knows nothing of what steps do.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

// A failure may need luck.
const TRIES = 3;

const MAX_RUNS = 150;

// All steps, each with the body that it stands in.
function places({ body }) {
  return (body ?? []).flatMap((step) => [{ body, step }, ...places(step)]);
}

// The program without the steps of these numbers.
function without(program, begin, end) {
  const copy = structuredClone(program);
  for (const { body, step } of places(copy).slice(begin, end)) {
    if (body.includes(step)) body.splice(body.indexOf(step), 1);
  }
  return copy;
}

// `run` is called with the name of a file that holds a program and a number of times; it resolves
// to the failure, if any. Resolves to the smallest program found and its failure; undefined if the
// program does not fail again.
async function shrink(program, rule, run) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-fuzz-'));
  const file = path.join(folder, 'program.json');
  let runs = 0;
  const fails = async (candidate) => {
    runs++;
    fs.writeFileSync(file, JSON.stringify(candidate));
    const failure = await run(file, TRIES);
    return failure?.rule === rule ? failure : undefined;
  };
  try {
    let smallest = { program, failure: await fails(program) };
    if (smallest.failure === undefined) return undefined;
    let size = places(program).length;
    while (size >= 1) {
      for (let begin = 0; begin < places(smallest.program).length && runs < MAX_RUNS; ) {
        const candidate = without(smallest.program, begin, begin + size);
        const failure = await fails(candidate);
        if (failure !== undefined) smallest = { program: candidate, failure };
        else begin += size;
      }
      size = Math.floor(size / 2);
    }
    return smallest;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { shrink };
