'use strict';

// The probes of orchestrators and balancers, which pass by the admission within a part of the
// thread: they must be answered in an overload, and can be sent by everybody.

const NAMES = [
  'health', 'healthz', 'healthcheck', 'health-check', 'live', 'livez', 'liveness', 'ready',
  'readyz', 'readiness', 'ping', 'metrics', 'status', 'up',
];
const PATHS = new Set(NAMES.flatMap((name) => {
  return ['', '/api', '/-', '/_', '/server'].map((before) => `${before}/${name}`);
}).concat('/_health', '/_ping'));
const METHODS = ['GET', 'HEAD'];

// The part of the thread, and how much of it may be used at once, in ms.
const SHARE = 0.05;
const AT_ONCE = 25;

const PART_OF_LAST = 0.125;

const isProbe = (method, path) => PATHS.has(path) && METHODS.includes(method);

class Probes {
  #level = 0;
  #at = 0;
  // The mean thread time of a probe, in ms.
  #mean = 1;

  // Whether a request is a probe that passes by.
  take({ method }, path, now) {
    if (!isProbe(method, path)) return false;
    this.#level = Math.max(this.#level - (now - this.#at) * SHARE, 0);
    this.#at = now;
    if (this.#level + this.#mean > Math.max(AT_ONCE, this.#mean)) return false;
    this.#level += this.#mean;
    return true;
  }

  // A probe has used so many ms of the thread.
  used(time) {
    this.#level += time - this.#mean;
    this.#mean += (time - this.#mean) * PART_OF_LAST;
  }
}

module.exports = { Probes, isProbe };
