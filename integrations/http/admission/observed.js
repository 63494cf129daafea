'use strict';

// A request that an admission only observes: its listener is called at once, in the event of its
// arrival. The thread's time is charged to it as to a Request (lib/tasks/request.js), but it has
// neither a task nor a controller, so that no code can tell.

const { inObserved, ledger } = require('../../internal.js');
const { chargedAt, observe, observeNoMore } = require('../points.js');
const { onceOver } = require('../responses.js');

class Observed {
  admission;
  // Whether its client has left, while its code goes on as if it had not.
  isLate = false;
  priority;
  key;
  weight;
  route;
  // As the ledger reads it.
  flow;
  isCharged = false;
  used = 0;
  longest = 0;
  wouldRefuse = false;
  // The thread time in ms that it is expected to use; see estimate.js.
  expected = undefined;
  #request;
  #response;
  #beganAt = 0;
  // The time for which the thread ran other code until the answer began.
  #wait = undefined;

  constructor(admission, { priority, fairnessKey, fairnessWeight, route }, request, response) {
    this.admission = admission;
    this.priority = priority;
    this.key = fairnessKey;
    this.weight = fairnessWeight;
    this.route = route;
    this.flow = this;
    this.#request = request;
    this.#response = response;
  }

  // Calls `run`, and returns its result.
  run(run, ended) {
    observe(this.#response, this);
    ledger.begin();
    this.isCharged = true;
    onceOver(this.#response, (reason) => {
      this.#end(reason);
      ended?.(this.used);
    });
    ledger.settle(undefined);
    this.#beganAt = ledger.settledAt();
    try {
      return ledger.isFollowed() ? inObserved(this, run) : run();
    } finally {
      const record = chargedAt(this.#response);
      if (record?.isCharged) ledger.settle(record);
    }
  }

  // The answer begins.
  answers() {
    this.#wait ??= Math.max(ledger.settledAt() - this.#beganAt - this.used, 0);
  }

  charge(time) {
    this.used += time;
    if (time > this.longest) this.longest = time;
    this.admission.observedUse(this, time);
  }

  endCharge() {
    this.isLate = false;
    if (!this.isCharged) return;
    this.isCharged = false;
    ledger.end();
  }

  #end(reason) {
    this.endCharge();
    const hasLeft = reason !== undefined;
    if (hasLeft) this.isLate = true;
    else observeNoMore(this.#response);
    this.admission.observedEnd(this, this.#request, { wait: this.#wait ?? 0, hasLeft });
  }
}

module.exports = { Observed };
