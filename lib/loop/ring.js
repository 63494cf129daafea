'use strict';

// A linked list whose links are members of the entries: adding and removing an entry needs neither
// a search nor memory. The list is a ring that includes the Ring itself. An entry outside of any
// list has no `next`.

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

// Removes an entry from its list.
function unlink(entry) {
  entry.previous.next = entry.next;
  entry.next.previous = entry.previous;
  entry.previous = undefined;
  entry.next = undefined;
}

module.exports = { Ring, unlink };
