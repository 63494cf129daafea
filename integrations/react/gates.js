'use strict';

// A gate: a thenable that React waits for before it renders a section. The gate waits from the
// moment when React subscribes. When its render is asked (see openings.js), React reads the status
// of the gate, which opens. A gate that React does not read, or not any more, does not open.

const { abortReason, isAborted, platform } = require('../internal.js');
const openings = require('./openings.js');
const { hasTimeFor, noteRendering } = require('./rendering.js');
const { Thenable } = require('./thenable.js');

const { Promise } = platform;

class Gate extends Thenable {
  // The scheduler's options: a signal, a priority, unless the priority of a TaskSignal is followed,
  // and the flow of the request, if any.
  options;
  // While it waits: its number by age, and its group.
  order = 0;
  group = undefined;
  // The Question that React has not answered yet.
  question = undefined;
  #isOpen = false;
  // The reason why the gate never opens.
  #failure = undefined;
  #isForgotten = false;
  // The promise that React has subscribed to since the last ask().
  #call = undefined;
  #resolve;
  #reject;

  constructor(options) {
    super();
    this.options = options;
  }

  get isOpen() {
    return this.#isOpen;
  }

  // Whether React may render more of the section now. A section that has opened and waits for data
  // closes if the data arrives when other sections have used up the time of the turn.
  mayGoOn() {
    if (this.#isOpen && !hasTimeFor(this)) this.close();
    return this.#isOpen;
  }

  currentStatus() {
    if (this.mayGoOn()) {
      noteRendering(this);
      return 'fulfilled';
    }
    const { signal } = this.options;
    if (this.#failure === undefined && signal !== undefined && isAborted(signal)) {
      this.fail(abortReason(signal));
    }
    if (this.#failure !== undefined) return 'rejected';
    if (!this.#answer()) return 'pending';
    this.#isOpen = true;
    noteRendering(this);
    this.#leave();
    return 'fulfilled';
  }

  currentValue() {
    return undefined;
  }

  currentReason() {
    return this.#failure?.reason;
  }

  then(onFulfilled, onRejected) {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure.reason).then(onFulfilled, onRejected);
    }
    if (this.#isOpen) return Promise.resolve().then(onFulfilled, onRejected);
    this.group ??= openings.add(this);
    this.#call ??= new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    return this.#call.then(onFulfilled, onRejected);
  }

  ask(question) {
    this.question = question;
    if (this.#call === undefined) return;
    this.#call = undefined;
    this.#resolve();
  }

  // React has not come back. `wouldOpen` is whether the gate would have opened.
  forget(wouldOpen) {
    this.question = undefined;
    this.#isForgotten = wouldOpen;
    this.#leave();
  }

  // Rejects the gate from now on.
  fail(reason) {
    this.#failure = { reason };
    this.question = undefined;
    this.#leave();
    if (this.#call === undefined) return;
    this.#call = undefined;
    this.#reject(reason);
  }

  close() {
    this.#isOpen = false;
  }

  // React has come back. Returns whether the gate opens.
  #answer() {
    const { question } = this;
    if (question !== undefined) {
      this.question = undefined;
      return question.answer(this);
    }
    if (!this.#isForgotten) return false;
    this.#isForgotten = false;
    return openings.answerLate(this);
  }

  #leave() {
    this.group?.delete(this);
    this.group = undefined;
  }
}

module.exports = { Gate };
