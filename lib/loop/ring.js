'use strict';

// A list whose entries have its links in themselves: each is added and taken out without a search,
// and without memory of its own. The list is a ring that includes the Ring itself. An entry that is
// in none has no `next`.

class Ring {
  previous = this;
  next = this;

  get isEmpty() {
    return this.next === this;
  }

  // The entries, in their order.
  list() {
    const entries = [];
    for (let entry = this.next; entry !== this; entry = entry.next) entries.push(entry);
    return entries;
  }

  // Adds an entry at the end.
  push(entry) {
    const last = this.previous;
    last.next = entry;
    entry.previous = last;
    entry.next = this;
    this.previous = entry;
  }
}

// Takes an entry out of its list.
function unlink(entry) {
  entry.previous.next = entry.next;
  entry.next.previous = entry.previous;
  entry.previous = undefined;
  entry.next = undefined;
}

module.exports = { Ring, unlink };
