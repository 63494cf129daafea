'use strict';

// V8's sampling profiler, through `node:inspector`. It is on all the time while somebody wants
// stacks. Its samples can be read only by ending a profile.
//
// V8 goes through the whole heap, for 12 ms and more, when the first profile begins, and gives up
// what it has found when the last one ends. So the next profile begins before the one before ends:
// that takes less than a millisecond. Only the profiles of the console can overlap, which those see
// who have a profiler of their own open on this thread, such as DevTools. Each session makes them
// for all, so their titles differ between the profilers of a thread.

const { shared } = require('../channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { Profile } = require('./profile.js');

const NANOSECONDS_PER_MICROSECOND = 1e3;
const MICROSECONDS_PER_MILLISECOND = 1e3;

const TITLE = 'uv-scheduler: slow tasks';

class Profiler {
  #console;
  #session;
  #readClock;
  // The profile under way: its title, and the times right before it was begun and right after.
  #current;
  // The profile that was ended last, as V8 gives it.
  #ended;
  // What is added to V8's microseconds to get those of our clock.
  #offset;

  // `interval`: milliseconds between two samples. Throws if Node was built without the inspector.
  constructor(interval, readClock) {
    const { Session, console } = require('node:inspector');
    this.#readClock = readClock;
    this.#console = console;
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
  }

  #begin() {
    const title = `${TITLE} ${++shared.lastProfile}`;
    const before = this.#readClock();
    this.#console.profile(title);
    return { title, before, after: this.#readClock() };
  }

  // Ends the profile under way, and returns it.
  #end() {
    const { title, before, after } = this.#current;
    this.#console.profileEnd(title);
    const profile = this.#ended;
    this.#ended = undefined;
    this.#offset ??= offsetOf(profile.startTime, before, after);
    return new Profile(profile, this.#offset);
  }

  // Returns the profile up to now, and goes on with the next one.
  rotate() {
    const next = this.#begin();
    const profile = this.#end();
    this.#current = next;
    return profile;
  }

  // Returns the profile up to now, and takes no more samples.
  stop() {
    const profile = this.#end();
    this.#session.disconnect();
    return profile;
  }
}

// Both clocks are the same on all systems that we know. If they were not, what V8 has noted as the
// start would not lie between two readings of ours.
function offsetOf(startTime, before, after) {
  const time = startTime * NANOSECONDS_PER_MICROSECOND;
  const isSame = time > before - NANOSECONDS_PER_MILLISECOND &&
    time < after + NANOSECONDS_PER_MILLISECOND;
  return isSame ? 0 : before / NANOSECONDS_PER_MICROSECOND - startTime;
}

module.exports = { Profiler };
