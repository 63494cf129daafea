'use strict';

// V8's sampling profiler, through `node:inspector`. Always on while stacks are wanted. Samples can
// be read only by ending a profile.
//
// When the first profile begins, V8 scans the whole heap, for 12 ms and more; when the last profile
// ends, V8 discards the result. So the next profile begins before the current one ends, which takes
// less than a millisecond. Only profiles of the console can overlap, and other profilers of the
// thread, such as DevTools, also see these. Each session makes a profile of its own for each title,
// and receives those of all others, so the titles are unique in a thread.
//
// V8 adds each sample to all profiles, and a profile is read as text. So profilers with the same
// interval share one profile: each gets what another one has read.

const { profileOrNone } = require('../../loading/undocumented.js');
const { foreignName } = require('../../loop/platform.js');
const { shared } = require('../channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { CallbackBegins } = require('./callback-begins.js');
const { Profile } = require('./profile.js');

const NANOSECONDS_PER_MICROSECOND = 1e3;
const MICROSECONDS_PER_MILLISECOND = 1e3;

const TITLE = 'uv-scheduler: slow tasks';

// The sampling interval is this part of the shortest reported callback, within bounds in ms. Each
// sample interrupts the thread.
const SAMPLED = 0.1;
const LEAST_INTERVAL = 1;
const MOST_INTERVAL = 10;

// The interval for callbacks of at least this duration, both in ms.
const intervalFor = (duration) =>
  Math.min(Math.max(duration * SAMPLED, LEAST_INTERVAL), MOST_INTERVAL);

// The samples of a thread at one interval.
class Samples {
  // Of each profiler that uses them: called with a profile that another one has read, and when.
  readers = new Set();
  #interval;
  #console;
  #session;
  #readClock;
  // The current profile: its title, and the times right before and right after its start.
  #current;
  // The profile of V8 that has ended last.
  #ended;
  // Added to V8's microseconds to get the time of our clock.
  #offset;
  #begins = new CallbackBegins();

  constructor(interval, readClock) {
    const { Session, console } = require('node:inspector');
    this.#interval = interval;
    this.#console = console;
    this.#readClock = readClock;
    this.#session = new Session();
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.setSamplingInterval', {
      interval: Math.round(interval * MICROSECONDS_PER_MILLISECOND),
    });
    this.#session.on('Profiler.consoleProfileFinished', ({ params }) => {
      if (params.title === this.#current.title) this.#ended = params.profile;
    });
    this.#current = this.#begin();
    shared.samples.set(interval, this);
  }

  #begin() {
    const title = `${TITLE} ${++shared.lastProfile}`;
    const before = this.#readClock();
    this.#console.profile(title);
    return { title, before, after: this.#readClock() };
  }

  // Ends the current profile, and returns it.
  #end() {
    const { title, before, after } = this.#current;
    this.#console.profileEnd(title);
    const profile = profileOrNone(this.#ended);
    this.#ended = undefined;
    this.#offset ??= offsetOf(profile.startTime, before, after);
    return new Profile(profile, this.#offset, this.#begins.take());
  }

  rotate(reader) {
    const now = this.#readClock();
    const next = this.#begin();
    const profile = this.#end();
    this.#current = next;
    for (const each of this.readers) if (each !== reader) each(profile, now);
    return profile;
  }

  // The reader gets its last profile. No further samples are taken for the last reader.
  remove(reader) {
    const profile = this.readers.size > 1 ? this.rotate(reader) : this.#end();
    this.readers.delete(reader);
    if (this.readers.size > 0) return profile;
    shared.samples.delete(this.#interval);
    this.#session.disconnect();
    this.#begins.stop();
    return profile;
  }
}

class Profiler {
  #samples;
  #onRead;

  // `interval` is the time between two samples in ms. `onRead(profile, now)` is called when another
  // profiler has read the samples of this one. Throws if the host has no such profiler, for example
  // a Node that was built without the inspector.
  constructor(interval, readClock, onRead = () => {}) {
    if (foreignName !== undefined) {
      throw new Error(`Failed to execute 'reportSlowTasks': ${foreignName} has no profiler of ` +
        'V8, so the option stacks cannot be true');
    }
    this.#samples = shared.samples.get(interval) ?? new Samples(interval, readClock);
    this.#samples.readers.add(onRead);
    this.#onRead = onRead;
  }

  // Returns the profile up to now, and begins the next one.
  rotate() {
    return this.#samples.rotate(this.#onRead);
  }

  // Returns the profile up to now, and takes no more samples.
  stop() {
    return this.#samples.remove(this.#onRead);
  }
}

// Both clocks are the same on all known systems. If they differed, V8's start time would not lie
// between our two readings.
function offsetOf(startTime, before, after) {
  const time = startTime * NANOSECONDS_PER_MICROSECOND;
  const isSame = time > before - NANOSECONDS_PER_MILLISECOND &&
    time < after + NANOSECONDS_PER_MILLISECOND;
  return isSame ? 0 : before / NANOSECONDS_PER_MICROSECOND - startTime;
}

module.exports = { Profiler, intervalFor };
