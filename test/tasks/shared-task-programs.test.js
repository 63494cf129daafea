'use strict';

// Random programs of joins, leaves, priority changes, errors, aborted runs, nested shared tasks and
// cycles, against a model. Numbers of tasks, controllers and signals are taken modulo how many
// there are. SCENARIO_SEED and SCENARIO_COUNT choose other programs.

const fc = require('fast-check');
const { onIdle } = require('../..');
const { PRIORITIES } = require('../fixtures/shared-tasks/model.js');
const { Program } = require('../fixtures/shared-tasks/program.js');

const COUNT = Number(process.env.SCENARIO_COUNT ?? 300);
const SEED = Number(process.env.SCENARIO_SEED ?? 2026);

const index = fc.nat(5);
const priority = fc.constantFrom(...PRIORITIES);

const step = (name, members) => fc.record({ name: fc.constant(name), ...members });

const TURNS = ['microtask', 'tick', 'yield', 'yield', 'wait', 'immediate', 'timer', 'background'];

const join = step('join', {
  task: index,
  // A number stands for the signal of a controller.
  priority: fc.option(fc.oneof(priority, fc.constant('inherit'), index), { nil: undefined }),
  signal: fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fc.constantFrom('own', 'own', 'own', 'own', 'aborted') },
    { weight: 1, arbitrary: index },
  ),
  // Whether the code waits for it at once, and whether it fails with it.
  isAwaited: fc.boolean(),
  isCaught: fc.boolean(),
});

const leaves = [
  { weight: 8, arbitrary: join },
  { weight: 5, arbitrary: step('turn', { how: fc.constantFrom(...TURNS) }) },
  { weight: 5, arbitrary: step('leave', { signal: fc.nat(20) }) },
  { weight: 3, arbitrary: step('setPriority', { controller: index, priority }) },
  { weight: 1, arbitrary: step('abort', { controller: index }) },
];

// A step at which other steps can begin that are so deep.
function stepOf(depth) {
  if (depth === 0) return fc.oneof(...leaves);
  // A task with a fixed priority, or with the signal of a controller, on one of two schedulers.
  const post = step('post', {
    source: fc.oneof(priority, index),
    isOnSecond: fc.boolean(),
    body: bodyOf(depth - 1),
  });
  return fc.oneof(...leaves, { weight: 4, arbitrary: post });
}

function bodyOf(depth) {
  return fc.array(stepOf(depth), { maxLength: 8 });
}

const sharedTask = fc.record({
  priority,
  abortWhenUnused: fc.boolean(),
  body: bodyOf(1),
  // How a run ends behind its body.
  end: fc.constantFrom('value', 'value', 'throw', 'reason'),
  // Without `await`, the callback returns or throws at once.
  isAsync: fc.constantFrom(true, true, true, false),
});

const program = fc.record({
  tasks: fc.array(sharedTask, { minLength: 1, maxLength: 4 }),
  controllers: fc.array(priority, { minLength: 1, maxLength: 3 }),
  body: fc.array(stepOf(2), { minLength: 1, maxLength: 20 }),
});

describe('random programs of shared tasks', () => {
  beforeEach(() => onIdle());

  it('settle each join once, with the highest priority at every moment', async () => {
    await fc.assert(fc.asyncProperty(program, (each) => new Program(each).run(each.body)), {
      seed: SEED, numRuns: COUNT,
    });
  }).timeout(30_000 + 100 * COUNT);
});
