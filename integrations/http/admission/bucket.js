'use strict';

// The thread time that started requests are expected to use, which drains as time passes: nothing
// is saved up. A background request starts only while there is little of it, so no more of them
// begin than the thread finishes beside the others: all that have begun become user-visible after
// `maxWait`, and then hold up requests that are more important. Where requests wait for something
// else than the thread, they are expected to use little of it, and so begin at once.

// Up to so many ms one may start.
const DEPTH = 60;

class Bucket {
  #level = 0;
  #at = 0;

  add(time, now) {
    const left = Math.max(this.#level - (now - this.#at), 0);
    this.#level = Math.max(left + time, 0);
    this.#at = now;
  }

  hasRoom(now) {
    return now >= this.next;
  }

  // The time from which there is room.
  get next() {
    return this.#at + this.#level - DEPTH;
  }
}

module.exports = { Bucket };
