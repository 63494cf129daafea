'use strict';

// Whether an admission is in an overload that lasts: it refuses a tenth of its requests and more,
// background ones aside. It is asked when a client asks for /ready, and needs no timer.

const { time } = require('../internal.js');

// In ms. Each answer changes behind a time between these that is drawn anew, so that the servers
// behind one load balancer neither leave it nor come back together, and none comes and goes.
const LASTING = [10_000, 30_000];
const CALM = [5000, 15_000];

// The minimum time between two looks at the counts, in ms.
const APART = 1000;

const PART = 0.1;
const COUNTED = ['user-blocking', 'user-visible'];

const draw = ([least, most]) => least + (most - least) * Math.random();

class Overload {
  #admission;
  #counts;
  #lookedAt = time.now();
  // Whether it refused at the last look, since when it has or has not, and for how long it must.
  #refuses = false;
  #since = this.#lookedAt;
  #patience = 0;
  #lasts = false;

  constructor(admission) {
    this.#admission = admission;
    this.#counts = this.#read();
  }

  #read() {
    const counts = this.#admission.counts();
    const sum = (of) => COUNTED.reduce((total, priority) => total + of(counts[priority]), 0);
    const refused = sum((each) => each.refused.wait + each.refused.queue);
    return { refused, all: refused + sum(({ admitted }) => admitted) };
  }

  get lasts() {
    const now = time.now();
    if (now - this.#lookedAt < APART) return this.#lasts;
    const before = this.#counts;
    this.#counts = this.#read();
    const refused = this.#counts.refused - before.refused;
    const refuses = refused > 0 && refused >= PART * (this.#counts.all - before.all);
    if (refuses !== this.#refuses) {
      this.#refuses = refuses;
      // It has begun somewhere behind the last look, or ended before it.
      this.#since = refuses ? now : this.#lookedAt;
      this.#patience = draw(refuses ? LASTING : CALM);
    }
    if (now - this.#since >= this.#patience) this.#lasts = refuses;
    this.#lookedAt = now;
    return this.#lasts;
  }
}

module.exports = { Overload };
