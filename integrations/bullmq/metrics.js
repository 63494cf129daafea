'use strict';

// The metrics about IdleWorkers, for the exporters: what each is, and its values in the counts of a
// queue, with their own attributes.

const { countsByQueue } = require('./counts.js');

const METRICS = [
  {
    name: 'given_back',
    unit: '{job}',
    description: 'Jobs that IdleWorkers have given back to their queues, by reason',
    read: ({ givenBack }) => Object.entries(givenBack).map(([reason, count]) => {
      return [{ reason }, count];
    }),
  },
  {
    name: 'discarded',
    unit: 's',
    description: 'How long jobs had run, interruptions included, that IdleWorkers gave back',
    read: ({ discarded }) => [[{}, discarded]],
  },
  {
    name: 'idle_wait',
    unit: 's',
    description: 'How long IdleWorkers have waited for an idle loop to fetch a job',
    read: ({ waiting }) => [[{}, waiting]],
  },
];

// All values of a metric: attributes and number.
function valuesOf({ read }) {
  return countsByQueue().flatMap(([queue, counts]) => {
    return read(counts).map(([own, value]) => [{ queue, ...own }, value]);
  });
}

module.exports = { METRICS, valuesOf };
