'use strict';

// Visitors of a server with an admission, on the clock of a test: an open loop of Poisson arrivals,
// who leave when they lose patience. One callback runs at a time, with its ticks and microtasks
// behind it, as in Node's loop; all that are due begin in one turn.

const { createTestScheduler } = require('uv-scheduler/testing');
const { Random } = require('../../integrations/testing/random.js');
const { createAdmission } = require('uv-scheduler/http');
const { accept, makeResponse } = require('./admission-clock.js');

// In ms: the patience of a visitor, and what it costs to read a request and to call its listener.
const PATIENCE = 1000;
const READ = 0.12;
const CALL = 0.1;

// Visitors who arrive in the first ms do not count.
const WARM = 1500;
const SPAN = 4000;

class Timers {
  #waiting = [];
  #now;

  constructor(now) {
    this.#now = now;
  }

  set(callback, ms) {
    const timer = { callback, at: this.#now() + Math.max(ms, 0) };
    const place = this.#waiting.findLastIndex(({ at }) => at <= timer.at);
    this.#waiting.splice(place + 1, 0, timer);
    return timer;
  }

  clear(timer) {
    timer.callback = () => {};
  }

  async run() {
    const count = this.#waiting.filter(({ at }) => at <= this.#now()).length;
    for (const { callback } of this.#waiting.splice(0, count)) {
      callback();
      await new Promise((resolve) => process.nextTick(() => process.nextTick(resolve)));
    }
  }
}

// Lets visitors come for some seconds, as the `sources` say: `{ name, priority, key, perSecond,
// work }`, where `work({ sleep, spend, number })` is what their request does. The thread has this
// `share` of a processor. Resolves to the figures of each name: how many `asked`, the shares
// `served` and `refused`, the `p50` and `p99` of the served ones in ms, and the most that ran at
// once; and to the share of `wanted` work.
async function simulate(sources, { seed = 1, share = 1, patience = PATIENCE, ...options } = {}) {
  const test = createTestScheduler({
    advanceTimers: () => timers.run(), maxTasks: Infinity,
  });
  const timers = new Timers(() => test.now);
  const random = new Random(seed);
  const spend = (ms) => test.spend(ms / share);
  const sleep = (ms) => new Promise((resolve) => timers.set(resolve, ms));
  let worked = 0;
  const admission = createAdmission({
    classify: ({ visit }) => visit.source.priority,
    fairnessKey: ({ visit }) => visit.source.key ?? '',
    ...options,
  });
  const handle = admission.handler(async ({ visit }, response) => {
    const { source, number } = visit;
    source.most = Math.max(source.most ?? 0, ++source.running);
    spend(CALL);
    await source.work({ sleep, spend, number, response });
    source.running--;
    worked++;
    response.end();
  });
  const visits = sources.flatMap((source) => {
    source.running = 0;
    const all = [];
    for (let at = 0, number = 0; ; number++) {
      at -= Math.log(1 - random.next()) * 1000 / source.perSecond;
      if (at > WARM + SPAN) return all;
      all.push({ source, number, at });
    }
  }).sort((one, other) => one.at - other.at);
  let left = visits.length;
  const arrive = (visit) => {
    spend(READ);
    const response = makeResponse('/');
    const over = (outcome) => {
      if (visit.outcome !== undefined) return;
      visit.outcome = outcome;
      visit.time = test.now - visit.at;
      left--;
      timers.clear(timer);
    };
    const timer = timers.set(() => {
      over('left');
      response.emit('close');
    }, visit.at + patience - test.now);
    response.on('finish', () => over(response.statusCode === 200 ? 'served' : 'refused'));
    handle(Object.assign(response.req, { visit }), response);
  };
  // The connections were all accepted before.
  accept();
  let next = 0;
  const come = () => {
    while (visits[next]?.at <= test.now) arrive(visits[next++]);
    if (next < visits.length) timers.set(come, visits[next].at - test.now);
  };
  come();
  while (left > 0) await test.advance(100);
  await test.advance(1000);
  test.stop();
  const served = visits.filter(({ outcome }) => outcome === 'served');
  const figures = Object.fromEntries(sources.map(({ name, most }) => {
    const all = visits.filter(({ source, at }) => source.name === name && at > WARM);
    const shareOf = (wanted) => all.filter(({ outcome }) => outcome === wanted).length / all.length;
    const times = all.filter(({ outcome }) => outcome === 'served').map(({ time }) => time);
    times.sort((one, other) => one - other);
    const percentile = (part) => times[Math.floor(part * times.length)];
    return [name, {
      asked: all.length, served: shareOf('served'), refused: shareOf('refused'),
      p50: percentile(0.5), p99: percentile(0.99), most,
    }];
  }));
  return { ...figures, wanted: served.length / worked };
}

module.exports = { simulate };
