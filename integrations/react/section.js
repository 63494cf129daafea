'use strict';

// A section: what is behind a <Scheduled> in one place of one render. It is open from the moment
// when its gate opens until React has rendered it. Whatever of it React would render later, because
// it has waited for data, waits until the section is open again: one gate for all its components.

const { Gate } = require('./gates.js');
const { Thenable } = require('./thenable.js');
const { extendTurn } = require('./turns.js');

// A part of the section that React renders when the section is open: what `make` returns. If there
// is data, it has to be there before, and `make` gets it.
class Held extends Thenable {
  #gate;
  #make;
  #data = undefined;
  #isMade = false;
  #value = undefined;
  #failure = undefined;

  constructor(gate, make, data = undefined) {
    super();
    this.#gate = gate;
    this.#make = make;
    if (data === undefined) return;
    // The then() of a thenable need not return anything.
    this.#data = Promise.resolve(data).then(this.#onData, this.#onFailure);
  }

  currentStatus() {
    if (this.#isMade) return 'fulfilled';
    if (this.#failure !== undefined) return 'rejected';
    return this.#data === undefined ? this.#gate.status : 'pending';
  }

  currentValue() {
    if (!this.#isMade) {
      this.#value = this.#make();
      this.#isMade = true;
    }
    return this.#value;
  }

  currentReason() {
    return this.#failure === undefined ? this.#gate.reason : this.#failure.reason;
  }

  then(onFulfilled, onRejected) {
    return (this.#data ?? this.#gate).then(onFulfilled, onRejected);
  }

  #onData = (data) => {
    const make = this.#make;
    this.#make = () => make(data);
    this.#data = undefined;
    // React renders it in another immediate.
    if (this.#gate.isOpen) extendTurn();
  };

  #onFailure = (reason) => {
    this.#failure = { reason };
    this.#data = undefined;
  };
}

class Section {
  #gate;
  #use;

  // Options of the scheduler: a priority, unless that of a TaskSignal counts. `use` is that of the
  // copy of React that renders, if it is known.
  constructor(options, use) {
    this.#gate = new Gate(options);
    this.#use = use;
  }

  // Returns what React shows in place of what `make` returns, which is called when the section is
  // open.
  show(make) {
    return new Held(this.#gate, make);
  }

  // Renders a component of the section, if it is open, by calling it. `finish` gets what the
  // component returns, and the section.
  render(component, props, finish) {
    // In each attempt this has the first place among what the component use()s.
    if (this.#use !== undefined) this.#use.call(undefined, this.#gate);
    const { isOpen } = this.#gate;
    const shown = component.call(undefined, props);
    if (typeof shown?.then === 'function') {
      return new Held(this.#gate, (data) => finish(data, this), shown);
    }
    // Another copy of React has a use() of its own. If its component waited here, it would forget
    // what it has used so far. So only what it returns has to wait.
    return isOpen ? finish(shown, this) : this.show(() => finish(shown, this));
  }
}

module.exports = { Section };
