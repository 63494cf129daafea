'use strict';

// A thenable that React waits for instead of a promise. React reads `status` whenever it reaches
// the thenable, and calls then() while `status` is 'pending'. The status is computed at each read.

// In development React hides the state of a thenable while it searches for the component where an
// aborted render waits: React deletes these properties, replaces then(), and restores them.
function override(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
}

// Whether the `status` of a thenable was ever read. React reads it before it calls then().
let isStatusRead = false;

const readsStatus = () => isStatusRead;

class Thenable {
  get status() {
    isStatusRead = true;
    return Object.hasOwn(this, 'then') ? 'pending' : this.currentStatus();
  }

  set status(value) {
    override(this, 'status', value);
  }

  get value() {
    return this.currentValue();
  }

  set value(value) {
    override(this, 'value', value);
  }

  get reason() {
    return this.currentReason();
  }

  set reason(value) {
    override(this, 'reason', value);
  }
}

module.exports = { Thenable, readsStatus };
