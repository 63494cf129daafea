'use strict';

// Simulates servers with IdleWorkers at one Redis, and prints the table of results/fleet.md. Run it
// with `node bench/fleet-simulation.js`. The costs of commands were measured with BullMQ 5.81 and
// Redis 7.0.
//
// A server gets requests at random times, which take some milliseconds of its thread; what is left
// is for jobs. Redis does one command after the other. Times are in milliseconds.

// Redis' processor time for one script of BullMQ with its reply, and for a blocking command.
const SCRIPT = 0.095;
const BLOCKING = 0.02;
const ROUND_TRIP = 0.5;

// As in BullMQ and integrations/bullmq/.
const DRAIN_DELAY = 5_000;
const STALLED_INTERVAL = 30_000;
const ARRIVAL = 50;
const BUSY_PAUSE = 50;
const JITTER = 0.5;

const REQUEST = 5;
// Until the servers are out of step.
const WARM_UP = 10_000;
// Few servers take longer to give a mean.
const durationFor = (servers) => 10_000 + 1_000_000 / servers;

// The same numbers in each run.
let state = 1;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state + 0.5) / 2 ** 32;
}

const exponential = (mean) => -Math.log(random()) * mean;

// How many requests come in a time.
function arrivals(time, load) {
  let count = 0;
  for (let at = exponential(REQUEST / load); at < time; at += exponential(REQUEST / load)) count++;
  return count;
}

// How long a server has requests without a break, once one has come.
function busySpell(load) {
  let time = 0;
  for (let waiting = 1; waiting > 0; waiting--) {
    const request = exponential(REQUEST);
    time += request;
    waiting += arrivals(request, load);
  }
  return time;
}

// How long it takes from now until the server is idle.
function untilIdle(load) {
  let time = 0;
  while (random() < load) time += busySpell(load);
  return time;
}

// How long a job takes beside the requests.
function beside(work, load) {
  let time = work;
  for (let spells = arrivals(work, load); spells > 0; spells--) time += busySpell(load);
  return time;
}

// Events in the order of their times.
class Agenda {
  #heap = [];

  add(at, act) {
    const heap = this.#heap;
    let i = heap.push({ at, act }) - 1;
    for (let up = (i - 1) >> 1; i > 0 && heap[up].at > heap[i].at; i = up, up = (i - 1) >> 1) {
      [heap[i], heap[up]] = [heap[up], heap[i]];
    }
  }

  next() {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0) return first;
    heap[0] = last;
    for (let i = 0; ;) {
      const left = 2 * i + 1;
      if (left >= heap.length) return first;
      const right = left + 1;
      const least = right < heap.length && heap[right].at < heap[left].at ? right : left;
      if (heap[i].at <= heap[least].at) return first;
      [heap[i], heap[least]] = [heap[least], heap[i]];
      i = least;
    }
  }
}

// `demand` is the share of what the idle time can do for which there are jobs; 1: the queue is
// never empty.
function simulate({ servers, load, work, demand }) {
  const agenda = new Agenda();
  const duration = durationFor(servers);
  const counts = { commands: 0, fetches: 0, jobs: 0, givenBack: 0, busy: 0, wait: 0 };
  let now = 0;
  let redisFree = 0;
  let waitingJobs = demand === 1 ? Infinity : 0;
  let hasMarker = false;
  // The servers that block on an empty queue, the one that has waited longest first.
  const waiting = new Set();

  const isCounted = () => now >= WARM_UP;
  const count = (name, value = 1) => {
    if (isCounted()) counts[name] += value;
  };

  // Redis gets a command; `act` is called when its reply is there.
  function command(cost, act) {
    const begin = Math.max(now + ROUND_TRIP / 2, redisFree);
    count('commands');
    count('busy', cost);
    count('wait', begin - now - ROUND_TRIP / 2);
    redisFree = begin + cost;
    agenda.add(redisFree + ROUND_TRIP / 2, act);
  }

  function later(time, act) {
    agenda.add(now + time, act);
  }

  // One that waits gets the marker of a job that is there.
  function wake() {
    const [first] = waiting;
    if (first === undefined) {
      hasMarker = true;
      return;
    }
    waiting.delete(first);
    hasMarker = false;
    // It may have got requests since it began to wait.
    agenda.add(now + ROUND_TRIP / 2, () => fetch(-Infinity));
  }

  function fetchWhenIdle() {
    later(untilIdle(load), () => fetch(now));
  }

  // `idleAt` is when the server was known to be idle.
  function fetch(idleAt) {
    count('fetches');
    command(SCRIPT, () => {
      if (waitingJobs > 0) {
        waitingJobs--;
        wake();
        run(idleAt);
      } else {
        later(untilIdle(load), block);
      }
    });
  }

  function block() {
    command(BLOCKING, () => {
      if (hasMarker) {
        hasMarker = false;
        fetch(now);
        return;
      }
      const entry = {};
      waiting.add(entry);
      later(DRAIN_DELAY, () => {
        if (waiting.delete(entry)) fetchWhenIdle();
      });
    });
  }

  // How long a job that has just come waits for its first turn.
  function firstTurn(idleAt) {
    const since = now - idleAt;
    if (since > ARRIVAL) return untilIdle(load);
    return arrivals(since, load) === 0 ? 0 : busySpell(load);
  }

  function run(idleAt) {
    const first = firstTurn(idleAt);
    if (first > ARRIVAL) {
      later(ARRIVAL, () => command(SCRIPT, () => {
        count('givenBack');
        waitingJobs++;
        wake();
        later(BUSY_PAUSE * (1 + random() * JITTER), fetchWhenIdle);
      }));
      return;
    }
    later(first + beside(exponential(work), load), () => command(SCRIPT, () => {
      count('jobs');
      fetchWhenIdle();
    }));
  }

  function produce(interval) {
    later(exponential(interval), () => {
      command(SCRIPT, () => {
        waitingJobs++;
        wake();
      });
      produce(interval);
    });
  }

  function lookForStalled() {
    later(exponential(STALLED_INTERVAL / servers), () => {
      command(SCRIPT, () => {});
      lookForStalled();
    });
  }

  for (let i = 0; i < servers; i++) agenda.add(random() * WARM_UP / 2, fetchWhenIdle);
  lookForStalled();
  if (demand > 0 && demand < 1) produce(work / (servers * (1 - load) * demand));
  while (now < WARM_UP + duration) {
    const { at, act } = agenda.next();
    now = at;
    act();
  }
  const perSecond = (value) => value / duration * 1_000;
  return {
    jobs: perSecond(counts.jobs),
    possible: servers * (1 - load) / work * 1_000 * demand,
    fetches: perSecond(counts.fetches),
    givenBack: perSecond(counts.givenBack),
    redis: Math.min(counts.busy / duration, 1),
    wait: counts.wait / counts.commands,
  };
}

const SCENARIOS = [
  ['empty', { demand: 0, work: 1_000 }],
  ['half full, jobs of 1 s', { demand: 0.5, work: 1_000 }],
  ['full, jobs of 1 s', { demand: 1, work: 1_000 }],
  ['full, jobs of 100 ms', { demand: 1, work: 100 }],
];
const SERVERS = [2, 10, 100, 1_000, 10_000];
const LOADS = [0.3, 0.7];

const HEADS = [
  'queue', 'servers', 'load', 'jobs/s', 'jobs/s possible', 'fetches/s', 'given back/s', 'Redis',
  'wait',
];

const digits = (value) => (value < 10 ? 1 : 0);
const number = (value) => value.toLocaleString('en', {
  minimumFractionDigits: digits(value), maximumFractionDigits: digits(value),
});
const percent = (share) => `${(share * 100).toFixed(digits(share * 100))} %`;
const milliseconds = (value) => `${value.toFixed(value < 1 ? 2 : 0)} ms`;

const print = (cells) => console.log(`| ${cells.join(' | ')} |`);

print(HEADS);
print(HEADS.map(() => '---'));
for (const [queue, settings] of SCENARIOS) {
  for (const servers of SERVERS) {
    for (const load of LOADS) {
      const row = simulate({ servers, load, ...settings });
      print([
        queue, servers.toLocaleString('en'), percent(load), number(row.jobs),
        number(row.possible), number(row.fetches), number(row.givenBack), percent(row.redis),
        milliseconds(row.wait),
      ]);
    }
  }
}
