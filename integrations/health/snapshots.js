'use strict';

// The snapshots at the server of serveHealth() of other parts of the package, by name: `guard`,
// `blocked`, `metrics`.
// A source offers a function, which is called when a client asks, and at most once a second after
// it has said that something changed. Without such a server it is never called.

const { sharePart, time } = require('../internal.js');

const { setTimer } = time;

// In ms.
const BETWEEN = 1000;

class Snapshots {
  // By name the sources, the newest last, which is the one that is shown.
  #sources = new Map();
  #followers = new Set();
  #waiting = new Set();

  // `read()` returns an object, or a promise for one: by content type a text. The first type is for
  // clients that name none of them.
  offer(name, read) {
    const sources = this.#sources.get(name) ?? [];
    this.#sources.set(name, sources);
    sources.push(read);
    const changed = () => {
      if (sources.at(-1) === read) this.#sendSoon(name);
    };
    const end = () => {
      const at = sources.indexOf(read);
      if (at < 0) return;
      sources.splice(at, 1);
      this.#sendSoon(name);
    };
    return { changed, end };
  }

  #sendSoon(name) {
    if (this.#followers.size === 0 || this.#waiting.has(name)) return;
    this.#waiting.add(name);
    setTimer(async () => {
      this.#waiting.delete(name);
      if (this.#followers.size === 0) return;
      const snapshot = await this.read(name);
      for (const follow of this.#followers) follow(name, snapshot);
    }, BETWEEN).unref();
  }

  // Fulfils with `{ texts }`, with `{ error }` if the source fails, or without a source with `{}`.
  async read(name) {
    const read = this.#sources.get(name)?.at(-1);
    try {
      return read === undefined ? {} : { texts: { ...await read() } };
    } catch (error) {
      return { error: `${error?.message ?? error}` };
    }
  }

  // Calls `onChange(name, snapshot)`. Returns a function that ends this.
  follow(onChange) {
    this.#followers.add(onChange);
    return () => this.#followers.delete(onChange);
  }
}

const snapshots = sharePart('snapshots', () => new Snapshots());

module.exports = { snapshots };
