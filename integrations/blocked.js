'use strict';

// While uv-scheduler/report is on, a channel has a message for each callback that blocked the
// thread. Exporters have the sums of these.

const { channel, subscribe } = require('node:diagnostics_channel');
const { sharePart } = require('./internal.js');

const blocked = channel('uv-scheduler:blocked');

// The most pairs of a place and a route that exporters tell apart.
const MOST_PAIRS = 100;
const OTHER = { place: 'other', route: 'other' };

class BlockedTimes {
  // By place and route the labels and the time in ms.
  #sums = new Map();

  add({ duration, place, route }) {
    const own = { place, route };
    const key = JSON.stringify(own);
    const isOther = !this.#sums.has(key) && this.#sums.size >= MOST_PAIRS;
    const sum = this.#sums.get(isOther ? '' : key) ?? { labels: isOther ? OTHER : own, time: 0 };
    sum.time += duration;
    this.#sums.set(isOther ? '' : key, sum);
  }

  get all() {
    return [...this.#sums.values()].map(({ labels, time }) => [labels, time]);
  }
}

// Begins to add up, if nothing has. Without a report no message comes.
const blockedTimes = () => sharePart('blocked', () => {
  const times = new BlockedTimes();
  subscribe(blocked.name, (message) => times.add(message));
  return times;
});

module.exports = { blocked, blockedTimes };
