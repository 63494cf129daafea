'use strict';

// A section: what is behind a <Scheduled> in one place of one render. It is open from the moment
// when its gate opens until React has rendered it. Whatever of it React would render later, because
// it has waited for data, waits until the section is open again: one gate for all its components.

const { nextTick } = require('../../lib/loop/intrinsics.js');
const { Gate, awaitReactsImmediate, isUnderWay } = require('./gates.js');

// What React waits for if a component use()s it. React reads `status`, and calls then() only while
// it is 'pending'.
class Turnstile {
  status = 'fulfilled';
  value = undefined;
  reason = undefined;
  #passed;

  close(promise) {
    this.status = 'pending';
    this.#passed = promise.then(
      () => {
        this.status = 'fulfilled';
      },
      (error) => {
        this.status = 'rejected';
        this.reason = error;
      },
    );
  }

  then(onFulfilled, onRejected) {
    return this.#passed.then(onFulfilled, onRejected);
  }
}

class Section {
  #options;
  #use;
  #gate;
  #turn;
  #turnstile = new Turnstile();
  #isOpen = false;
  #isRendered = false;

  // Options of the scheduler: a priority, unless that of a TaskSignal counts. `use` is that of the
  // copy of React that renders, if it is known.
  constructor(options, use) {
    this.#options = options;
    this.#use = use;
  }

  // A promise that is fulfilled when the section is open, and rejected if its signal is aborted
  // before.
  get turn() {
    if (this.#turn === undefined) {
      this.#gate = new Gate(this.#options, this.#onRendered);
      this.#turn = this.#gate.promise.then(this.#open);
      this.#turnstile.close(this.#turn);
    }
    return this.#turn;
  }

  #open = () => {
    this.#turn = undefined;
    this.#isOpen = true;
    this.#isRendered = false;
  };

  // Renders a component of the section, if it is open, by calling it. `finish` gets what the
  // component returns.
  render(component, props, finish) {
    const isOpen = this.#enter();
    if (this.#use !== undefined) {
      if (!isOpen) this.turn;
      // In each attempt this has the first place among what the component use()s.
      this.#use.call(undefined, this.#turnstile);
    }
    const shown = component.call(undefined, props);
    if (typeof shown?.then === 'function') {
      return shown.then((late) => this.#finishLate(late, finish));
    }
    // Another copy of React has a use() of its own. If its component waited here, it would forget
    // what it has used so far. So only what it returns has to wait.
    return isOpen || this.#use !== undefined ? finish(shown) : this.#finishInTurn(shown, finish);
  }

  #finishLate(late, finish) {
    if (!this.#enter()) return this.#finishInTurn(late, finish);
    // React renders it in another immediate.
    if (isUnderWay(this.#gate)) awaitReactsImmediate();
    return finish(late);
  }

  #finishInTurn(shown, finish) {
    return this.turn.then(() => finish(shown));
  }

  // Whether the section is open. If React was late, it is until the end of this callback.
  #enter() {
    if (this.#isOpen && !this.#isRendered) {
      this.#isRendered = true;
      if (!isUnderWay(this.#gate)) nextTick(this.#onRendered);
    }
    return this.#isOpen;
  }

  #onRendered = () => {
    if (this.#isRendered) this.#isOpen = false;
  };
}

module.exports = { Section };
