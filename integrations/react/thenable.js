'use strict';

// What React waits for instead of a promise. It asks for `status` whenever it comes to it, and
// calls then() while that is 'pending'. The answer is made when it asks.

// In development React hides the state of a thenable while it looks for the place where an aborted
// render waits: it deletes these properties, replaces then(), and restores them.
function override(object, name, value) {
  Object.defineProperty(object, name, { value, writable: true, configurable: true });
}

class Thenable {
  get status() {
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

module.exports = { Thenable };
