'use strict';

// As many requests run as keep the thread busy. The scheduler orders the time of tasks and their
// continuations: a new request can overtake them (see sharing-bound.js). All other callbacks run in
// the order of the loop, such as what a request computes behind the `await` of a query. If these
// take all of the thread's time, requests that have started only wait for each other, and more of
// them should wait in the queues, by priority, where they can be refused. Where the bottleneck is
// elsewhere, for example in a database, the thread has idle time, and there is no bound.
//
// The bound falls while other callbacks take all of the time and wait long for each other, and
// grows by steps while requests wait and there is other time. A callback that is ready waits for
// the rest of the turn of the loop: so many are ready as a turn is long. So the bound falls in the
// proportion in which turns are too long, once for each turn. In a simulation of such
// requests, a bound that fell whenever the thread was busy left it idle later (0.88 of the capacity
// was used at a load of 1.2, and 0.99 with the length of turns). Limits by latency, such as those
// of Netflix's concurrency-limits, would also bound requests that wait for something else.

const { taskTime, time } = require('../../internal.js');
const { StartPace } = require('./start-pace.js');

const { timesOfThread, turnsOfLoop } = time;

// The bound falls if the thread had no free time for this long, in ms. With random arrivals at 0.8
// of the capacity it is busy for a tenth of a second now and then.
const PERSISTENCE = 200;

// The bound falls only while a turn of the loop takes longer than this, in ms.
const TURN = 40;

// Less free time than the first share is none. From the second one on the bound grows.
const BUSY = 0.02;
const FREE = 0.05;

// The proportion if the length of turns is not known.
const FALL = 0.7;

// After so many ms with free time and without a waiting request there is no bound.
const CALM = 1000;

// In one step the bound grows to so many times, as a span of 50 ms may be free by chance.
const GROWTH = 1.5;

// The bound grows again when a request has ended that started under it, or after so many ms: until
// then the free time is that of the bound before.
const EFFECT = 500;

// If the process has had the processor for a smaller share of the time without idling, others have
// taken the rest, and the thread may have had little to do.
const OWN = 0.6;

// A listener that returns sooner, in ms, does its work behind an `await`. To start such requests is
// a part of their work outside of tasks.
const SHORT = 1;

// The number of requests up to which user-blocking ones may start where so many others may run.
const withExcess = (limit) => limit + Math.max(1, Math.trunc(limit / 10));

// The number up to which those of a priority may start.
const mostOf = (priority, limit) => (priority === 'user-blocking' ? withExcess(limit) : limit);

class ThreadBound {
  // The most requests that may run.
  limit = Infinity;
  // Since when the thread has had no free time, and since when it has had some and no request has
  // waited.
  #busySince = Infinity;
  #calmSince = Infinity;
  #active = 0;
  #idle = 0;
  #inTasks = 0;
  #starting = 0;
  // The turns of the loop so far, and the time without idling since the last one that was counted.
  #turns = 0;
  #inTurn = 0;
  // The most requests that ran in the turn that was under way at the last look, and whether it
  // began with as many as may run. If there were more, the last fall has not shown its effect.
  #most = 0;
  #isSettled = true;
  // The time of the last growth, and whether a request has ended that started since.
  #grownAt = -Infinity;
  #hasShown = true;
  #pace = new StartPace();
  // The processor time in ms.
  #used = 0;

  // A request has started, and its listener has returned after so many milliseconds.
  started(time) {
    if (time < SHORT) this.#starting += time;
    if (this.limit < Infinity) this.#pace.started();
  }

  // The response of a started visit has ended.
  ended({ startedAt }) {
    if (startedAt >= this.#grownAt) this.#hasShown = true;
    this.#pace.ended();
  }

  // The number of requests that may start now.
  roomToStart(time) {
    return this.limit < Infinity ? this.#pace.room(time) : Infinity;
  }

  // The time from which one may start.
  get nextStart() {
    return this.limit < Infinity ? this.#pace.next : -Infinity;
  }

  // Looks at the time since `before`, which is -Infinity at first.
  step(state) {
    const { before, running } = state;
    const turns = turnsOfLoop();
    const hasTurned = turns !== this.#turns;
    if (!hasTurned) this.#most = Math.max(this.#most, running);
    const { free, others, turn } = this.#measure(turns);
    if (before !== -Infinity) {
      this.#pace.step(others);
      this.#adapt(state, free, turn);
    }
    if (!hasTurned) return;
    this.#most = running;
    this.#isSettled = running <= withExcess(this.limit);
  }

  // `turn` is the mean length of the turns that have ended, or else of the one under way.
  #adapt(state, free, turn) {
    const { time, before } = state;
    if (free >= BUSY) {
      this.#busySince = Infinity;
      if (free >= FREE) this.#grow(state, free);
      return;
    }
    this.#calmSince = Infinity;
    this.#busySince = Math.min(this.#busySince, before);
    if (this.#isSettled && time - this.#busySince >= PERSISTENCE && turn > TURN) {
      const part = turn === Infinity ? FALL : TURN / turn;
      this.limit = Math.min(this.limit, Math.max(1, Math.floor(this.#most * part)));
    }
  }

  // If the running requests leave some of the time free, more of them can run in the same
  // proportion. Without waiting requests the bound stays for a while, as an overload may have a
  // short pause.
  #grow({ time, running, waiting }, free) {
    if (waiting > 0) {
      this.#calmSince = Infinity;
      if (!this.#hasShown && time - this.#grownAt < EFFECT) return;
      const wanted = Math.ceil(running / Math.max(1 - free, 0.01)) + 1;
      const limit = Math.min(wanted, Math.ceil(this.limit * GROWTH));
      if (limit <= this.limit || this.limit === Infinity) return;
      this.limit = limit;
      this.#grownAt = time;
      this.#hasShown = false;
    } else {
      this.#calmSince = Math.min(this.#calmSince, time);
      if (time - this.#calmSince >= CALM) this.limit = Infinity;
    }
  }

  // Since the last call: the time in ms that callbacks other than tasks took, the share of the time
  // that they did not take, and the mean length of a turn in ms. Some may have been free if others
  // had the processor.
  #measure(turns) {
    const { active, idle, processor } = timesOfThread();
    const inTasks = taskTime();
    const all = active - this.#active + idle - this.#idle;
    const free = idle - this.#idle + inTasks - this.#inTasks - this.#starting;
    const turn = this.#lengthOfTurn(active - this.#active, turns);
    const isOwn = processor - this.#used > OWN * (active - this.#active);
    [this.#active, this.#idle, this.#inTasks, this.#starting] = [active, idle, inTasks, 0];
    this.#used = processor;
    const share = all > 0 ? free / all : BUSY;
    return { free: isOwn ? share : Math.max(share, BUSY), others: all - free, turn };
  }

  // A turn that has not ended is as long as it has lasted so far. Without a count of turns, as on
  // Bun and Deno, each is too long.
  #lengthOfTurn(active, turns) {
    if (turns === undefined) return Infinity;
    this.#inTurn += active;
    const length = this.#inTurn / Math.max(turns - this.#turns, 1);
    if (turns !== this.#turns) this.#inTurn = 0;
    this.#turns = turns;
    return length;
  }
}

module.exports = { PERSISTENCE, ThreadBound, mostOf };
