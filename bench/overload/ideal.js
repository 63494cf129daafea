'use strict';

// The best that a single thread can do for important visitors without stopping a page that it has
// begun: a queue with priorities, simulated on the visitors of a measurement. Whenever the thread
// is free it serves the visitor of the most important class who came first. It knows which visitor
// would leave before the page is complete, and spends no time on that one, nor on refusing.
//
// A page is the unit of service, because no server of the benchmark cuts its pages: cutting them
// would help the servers with priorities alone, and without regard to overload.

const { rankOf, CLASSES } = require('./visitors');

// Serves visitors { time, name } in the order of their times. `service` is the time of a page, and
// `patience` the time after which a visitor leaves, in ms. Returns { outcome, ms } for each one:
// `ms` is the time until that outcome.
function serveIdeally(visitors, { service, patience }) {
  const queues = CLASSES.map(() => []);
  const results = new Array(visitors.length);
  let arrived = 0;
  let now = 0;

  // Takes the next visitor who does not leave before the service ends; undefined if none waits.
  function take() {
    for (const queue of queues) {
      while (queue.length > 0) {
        const visitor = queue.shift();
        if (visitors[visitor].time + patience >= now + service) return visitor;
        results[visitor] = { outcome: 'left', ms: patience };
      }
    }
    return undefined;
  }

  for (;;) {
    for (; arrived < visitors.length && visitors[arrived].time <= now; arrived++) {
      queues[rankOf(visitors[arrived].name)].push(arrived);
    }
    const visitor = take();
    if (visitor !== undefined) {
      now += service;
      results[visitor] = { outcome: 'served', ms: now - visitors[visitor].time };
    } else if (arrived < visitors.length) {
      now = visitors[arrived].time;
    } else {
      return results;
    }
  }
}

module.exports = { serveIdeally };
