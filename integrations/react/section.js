'use strict';

// A section: the children of a <Scheduled> in one place of one render. A section is open from the
// moment when its gate opens until React has rendered it. Parts that React would render later,
// because they waited for data, wait until the section is open again: one gate for all components.

const { Gate } = require('./gates.js');
const openings = require('./openings.js');
const { Thenable, readsStatus } = require('./thenable.js');

// A part of the section that React renders when the section is open: the result of `make`. If
// `data` is given, the part also waits for the data, which `make` gets.
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
    // Wrapped, as the then() of a thenable need not return a promise.
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
    if (!readsStatus()) return this.#withoutGate().then(onFulfilled, onRejected);
    return (this.#data ?? this.#gate).then(onFulfilled, onRejected);
  }

  // For a React that does not read `status`.
  async #withoutGate() {
    await this.#data;
    if (this.#failure !== undefined) throw this.#failure.reason;
    return this.currentValue();
  }

  #onData = (data) => {
    const make = this.#make;
    this.#make = () => make(data);
    this.#data = undefined;
    // React renders this part in another immediate.
    if (this.#gate.isOpen) openings.extend();
  };

  #onFailure = (reason) => {
    this.#failure = { reason };
    this.#data = undefined;
  };
}

class Section {
  #gate;
  #use;

  // `options` are the options of a Gate. `use` is the hook of the rendering copy of React, if
  // known.
  constructor(options, use) {
    this.#gate = new Gate(options);
    this.#use = use;
  }

  // Returns a thenable for React that stands for the result of `make`, which is called when the
  // section is open.
  show(make) {
    return new Held(this.#gate, make);
  }

  // Calls a component of the section when the section is open. `finish` gets the result of the
  // component, and the section.
  render(component, props, finish) {
    // In each attempt, this must be the first use() of the component.
    if (this.#use !== undefined) this.#use.call(undefined, this.#gate);
    const mayGoOn = this.#gate.mayGoOn();
    const shown = component.call(undefined, props);
    if (typeof shown?.then === 'function') {
      return new Held(this.#gate, (data) => finish(data, this), shown);
    }
    // Another copy of React has its own use(). If its component waited here, it would lose the
    // state of its earlier use() calls. So only the result of the component waits.
    return mayGoOn ? finish(shown, this) : this.show(() => finish(shown, this));
  }
}

module.exports = { Section };
