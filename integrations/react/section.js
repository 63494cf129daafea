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

// Calls back when React unwraps a promise whose value is a part of the page. React keeps the value
// in a property of the promise, and reads it when it renders.
function watched(promise, onRead) {
  let kept;
  return Object.defineProperty(promise, 'value', {
    configurable: true,
    get() {
      onRead();
      return kept;
    },
    set(value) {
      kept = value;
    },
  });
}

class Section {
  #options;
  #use;
  #gate;
  #turn;
  // Whether the gate is told when React renders what waits for it.
  #isWatched;
  #turnstile = new Turnstile();
  #isOpen = false;
  #isRendered = false;

  // Options of the scheduler: a priority, unless that of a TaskSignal counts. `use` is that of the
  // copy of React that renders, if it is known.
  constructor(options, use) {
    this.#options = options;
    this.#use = use;
  }

  // Resolves when the section is open, and rejects if its signal is aborted before.
  wait() {
    const turn = this.#takeTurn();
    this.#isWatched = false;
    return turn;
  }

  // Resolves to what `contentOf` returns, when the section is open. React has to unwrap it.
  show(contentOf) {
    const turn = this.#takeTurn();
    const gate = this.#gate;
    return watched(turn.then(contentOf), () => gate.read());
  }

  #takeTurn() {
    if (this.#turn === undefined) {
      this.#gate = new Gate(this.#options, this.#onRendered);
      this.#isWatched = true;
      this.#turn = this.#gate.promise.then(this.#open);
      this.#turnstile.close(this.#turn);
    }
    return this.#turn;
  }

  #open = () => {
    this.#turn = undefined;
    this.#isOpen = true;
    this.#isRendered = false;
    if (!this.#isWatched) this.#gate.isRead = true;
  };

  // Renders a component of the section, if it is open, by calling it. `finish` gets what the
  // component returns.
  render(component, props, finish) {
    const isOpen = this.#enter();
    if (this.#use !== undefined) {
      if (!isOpen) this.#takeTurn();
      // In each attempt this has the first place among what the component use()s.
      this.#use.call(undefined, this.#turnstile);
    }
    const shown = component.call(undefined, props);
    if (typeof shown?.then === 'function') {
      return shown.then((late) => this.#finishLate(late, finish));
    }
    // Another copy of React has a use() of its own. If its component waited here, it would forget
    // what it has used so far. So only what it returns has to wait.
    return isOpen || this.#use !== undefined ? finish(shown) : this.show(() => finish(shown));
  }

  #finishLate(late, finish) {
    if (!this.#enter()) return this.wait().then(() => finish(late));
    // React renders it in another immediate.
    if (isUnderWay(this.#gate)) awaitReactsImmediate();
    return finish(late);
  }

  // Whether the section is open. If React was late, it is until the end of this callback.
  #enter() {
    if (this.#isOpen && !this.#isRendered) {
      this.#isRendered = true;
      this.#gate.read();
      if (!isUnderWay(this.#gate)) nextTick(this.#onRendered);
    }
    return this.#isOpen;
  }

  #onRendered = () => {
    if (this.#isRendered) this.#isOpen = false;
  };
}

module.exports = { Section };
