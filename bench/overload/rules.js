'use strict';

// Simulates rules that say whom a server refuses, without HTTP: the same visitors come to one
// thread, which renders a page at a time. `node bench/overload/rules.js` prints the table that is
// in docs/overload.md, which also says where each rule comes from.

const { Lines } = require('../../integrations/http/admission/lines');

const PRIORITIES = ['user-blocking', 'user-visible', 'background'];
const SHARES = [0.2, 0.6, 0.2];

// In ms. A refusal takes time of the thread, too.
const PAGE = 20;
const REFUSAL = 0.05;
const PATIENCE = 1000;
const BOUNDS = { 'user-blocking': 800, 'user-visible': 250, 'background': 250 };
const WARM = 5000;
const MOST = 10_000;

const LOADS = [0.5, 0.8, 1, 1.5, 2.5, 4];
const SECONDS = { calm: 2000, busy: 200 };
const CALM = 0.8;

// Of CoDel: what a visitor may wait while the queue is never empty, as a part of the bound.
const TARGET = 0.2;

// A generator of random numbers, the same ones each time (mulberry32).
function createRandom(seed) {
  let state = seed;
  return () => {
    state = state + 0x6d2b79f5 | 0;
    let number = Math.imul(state ^ state >>> 15, 1 | state);
    number = number + Math.imul(number ^ number >>> 7, 61 | number) ^ number;
    return ((number ^ number >>> 14) >>> 0) / 2 ** 32;
  };
}

function createVisitors(load, seconds) {
  const random = createRandom(1);
  const visitors = [];
  for (let time = 0; time < seconds * 1000;) {
    time += -Math.log(1 - random()) * PAGE / load;
    const number = random();
    const rank = number < SHARES[0] ? 0 : number < SHARES[0] + SHARES[1] ? 1 : 2;
    visitors.push({ time, rank, outcome: undefined, ms: 0 });
  }
  return visitors;
}

// A line of visitors for each priority, as most rules have.
class Queues {
  queues = PRIORITIES.map(() => []);
  size = 0;

  arrive(visitor) {
    if (this.size >= MOST) return false;
    this.queues[visitor.rank].push(visitor);
    this.size++;
    return true;
  }

  // Takes the next visitor: of the most important queue, the oldest or the newest.
  take(isNewest = () => false) {
    const rank = this.queues.findIndex(({ length }) => length > 0);
    if (rank === -1) return undefined;
    this.size--;
    return isNewest(rank) ? this.queues[rank].pop() : this.queues[rank].shift();
  }

  drop(rank, isDropped, refuse) {
    const queue = this.queues[rank];
    while (queue.length > 0 && isDropped(queue[0])) {
      this.size--;
      refuse(queue.shift());
    }
  }
}

const boundOf = ({ rank }) => BOUNDS[PRIORITIES[rank]];

class Nothing extends Queues {
  next() {
    return this.take();
  }
}

// Refuses whoever has waited longer than the bound.
class Bounds extends Queues {
  next(now, refuse) {
    for (const rank of PRIORITIES.keys()) {
      this.drop(rank, (visitor) => now - visitor.time > boundOf(visitor), refuse);
    }
    return this.take();
  }
}

// Refuses on arrival whom the pages ahead, or who come first, keep waiting longer than the bound.
class Work extends Queues {
  arrive(visitor) {
    const ahead = this.queues.slice(0, visitor.rank + 1);
    const pages = ahead.reduce((count, { length }) => count + length, 0);
    return (pages + 1) * PAGE <= boundOf(visitor) && super.arrive(visitor);
  }

  next() {
    return this.take();
  }
}

// CoDel for each priority, as servers have it: when the queue has not been empty for an interval,
// who has waited longer than the target is refused; else who has waited for longer than it.
class Delay extends Queues {
  #emptyAt = PRIORITIES.map(() => 0);

  isBusy(rank, now) {
    if (this.queues[rank].length === 0) this.#emptyAt[rank] = now;
    return now - this.#emptyAt[rank] > BOUNDS[PRIORITIES[rank]];
  }

  arrive(visitor) {
    this.isBusy(visitor.rank, visitor.time);
    return super.arrive(visitor);
  }

  next(now, refuse, isNewest = undefined) {
    const busy = PRIORITIES.map((_, rank) => this.isBusy(rank, now));
    for (const rank of PRIORITIES.keys()) {
      const bound = BOUNDS[PRIORITIES[rank]] * (busy[rank] ? TARGET : 1);
      this.drop(rank, (visitor) => now - visitor.time > bound, refuse);
    }
    return this.take((rank) => isNewest?.(rank, busy) === true);
  }
}

class NewestFirst extends Delay {
  next(now, refuse) {
    return super.next(now, refuse, (rank, busy) => busy[rank]);
  }
}

// What createAdmission() does.
class Admission {
  #queues = new Queues();
  #refuse;
  #lines = new Lines(BOUNDS, MOST, (place) => {
    const queue = this.#queues.queues[place.visitor.rank];
    queue.splice(queue.indexOf(place.visitor), 1);
    this.#queues.size--;
    this.#refuse(place.visitor);
  });

  arrive(visitor, now, refuse) {
    this.#refuse = refuse;
    const place = { visitor };
    visitor.place = place;
    if (this.#lines.arrive(place, PRIORITIES[visitor.rank], now) !== undefined) return false;
    return this.#queues.arrive(visitor);
  }

  next(now, refuse) {
    this.#refuse = refuse;
    this.#lines.refuseLate(now);
    for (;;) {
      const visitor = this.#queues.take();
      if (visitor === undefined) return undefined;
      if (this.#lines.start(visitor.place, now) === undefined) return visitor;
      refuse(visitor);
    }
  }
}

// A visitor who would leave before the page is complete is served in vain, unless he has left.
function serve(rule, visitors) {
  let now = 0;
  let arrived = 0;
  const refuse = (visitor, time = now) => {
    visitor.outcome = 'refused';
    visitor.ms = time - visitor.time;
    now += REFUSAL;
  };
  for (;;) {
    for (; arrived < visitors.length && visitors[arrived].time <= now; arrived++) {
      const visitor = visitors[arrived];
      if (!rule.arrive(visitor, visitor.time, refuse)) refuse(visitor);
    }
    const visitor = rule.next(now, refuse);
    if (visitor !== undefined) {
      if (now - visitor.time < PATIENCE) {
        now += PAGE;
        visitor.ms = now - visitor.time;
        visitor.outcome = visitor.ms <= PATIENCE ? 'served' : 'left';
      } else {
        visitor.outcome = 'left';
      }
    } else if (arrived < visitors.length) {
      now = Math.max(now, visitors[arrived].time);
    } else {
      return visitors;
    }
  }
}

const RULES = {
  'nothing, priorities alone': Nothing,
  'bounds on waiting': Bounds,
  'work in line, on arrival': Work,
  'CoDel by priority': Delay,
  'CoDel, newest first': NewestFirst,
  'createAdmission()': Admission,
};

function percentile(numbers, part) {
  const sorted = numbers.sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.trunc(sorted.length * part))] ?? NaN;
}

function measure(Rule, load) {
  const seconds = load <= CALM ? SECONDS.calm : SECONDS.busy;
  const all = serve(new Rule(), createVisitors(load, seconds)).filter(({ time }) => time > WARM);
  const of = (rank, outcome) => all.filter((visitor) => {
    return (rank === undefined || visitor.rank === rank) &&
      (outcome === undefined || visitor.outcome === outcome);
  });
  const share = (rank) => (of(rank, 'served').length / of(rank).length * 100).toFixed(1);
  const times = (rank, outcome) => of(rank, outcome).map(({ ms }) => ms);
  return {
    'checkout served, %': share(0),
    'checkout p99, ms': percentile(times(0, 'served'), 0.99).toFixed(0),
    'pages served, %': share(1),
    'pages p50, ms': percentile(times(1, 'served'), 0.5).toFixed(0),
    'pages p99, ms': percentile(times(1, 'served'), 0.99).toFixed(0),
    'crawlers served, %': share(2),
    'goodput': (of(undefined, 'served').length * PAGE / (seconds * 1000 - WARM)).toFixed(3),
    'refused of 1000': (of(undefined, 'refused').length / all.length * 1000).toFixed(1),
    'refusals p99, ms': percentile(times(undefined, 'refused'), 0.99).toFixed(0),
  };
}

function main() {
  for (const load of LOADS) {
    const results = Object.entries(RULES).map(([name, Rule]) => [name, measure(Rule, load)]);
    const columns = Object.keys(results[0][1]);
    console.log(`\n${load} times the capacity\n`);
    console.log(`| rule | ${columns.join(' | ')} |\n|---|${'---:|'.repeat(columns.length)}`);
    for (const [name, values] of results) {
      console.log(`| ${name} | ${Object.values(values).join(' | ')} |`);
    }
  }
}

main();
