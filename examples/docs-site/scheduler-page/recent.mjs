// Keeps the totals of the last minute and works out what happened in between. Knows neither the
// connection nor the page.

const KEPT = 60_000;

// What "now" means for shares, rates and times. Shorter, they would flicker.
const WINDOW = 10_000;

const PARTS = ['wait', 'duration'];

/** The shares of the time between two totals. */
function sharesBetween(before, after) {
  const states = Object.keys(after.time);
  const spent = states.map((state) => Math.max(0, after.time[state] - before.time[state]));
  const all = spent.reduce((sum, each) => sum + each, 0);
  return Object.fromEntries(
    states.map((state, i) => [state, all > 0 ? spent[i] / all : 0]));
}

function timesBetween(before, after) {
  return {
    count: after.count - before.count,
    counts: after.counts.map((count, i) => count - before.counts[i]),
  };
}

export class Recent {
  #totals = [];

  /** Takes the newest totals. Those of another process begin a new history. */
  add(totals) {
    if (this.#totals.at(-1)?.process !== totals.process) this.#totals = [];
    this.#totals.push(totals);
    // One that is older stays, so that the whole minute can be drawn.
    while (this.#totals[1]?.at < totals.at - KEPT) this.#totals.shift();
  }

  get latest() {
    return this.#totals.at(-1);
  }

  get #windowStart() {
    const from = this.latest.at - WINDOW;
    return this.#totals.findLast(({ at }) => at <= from) ?? this.#totals[0];
  }

  get shares() {
    return sharesBetween(this.#windowStart, this.latest);
  }

  /** The share of the time for which background work was held, by reason. */
  get held() {
    const [before, after] = [this.#windowStart, this.latest];
    const all = after.at - before.at;
    return Object.fromEntries(Object.entries(after.heldTime).map(([reason, time]) => {
      return [reason, all > 0 ? Math.min(1, (time - before.heldTime[reason]) / all) : 0];
    }));
  }

  /** Of a priority: how many started each second, and the times of those. */
  priority(name) {
    const before = this.#windowStart;
    const [old, now] = [before.priorities[name], this.latest.priorities[name]];
    const seconds = (this.latest.at - before.at) / 1000;
    const times = Object.fromEntries(
      PARTS.map((part) => [part, timesBetween(old[part], now[part])]));
    const rate = seconds > 0 ? times.wait.count / seconds : 0;
    return { ...now, ...times, rate, failedNow: now.failed - old.failed };
  }

  /** The shares from each total to the next; `age` is that of the later one, from 0 to 1. */
  history() {
    const { at } = this.latest;
    return this.#totals.slice(1).map((totals, i) => ({
      from: Math.min(1, (at - this.#totals[i].at) / KEPT),
      to: (at - totals.at) / KEPT,
      shares: sharesBetween(this.#totals[i], totals),
    }));
  }
}
