'use strict';

// V8's sampling profiler, through `node:inspector`. Always on while stacks are wanted. Samples can
// be read only by ending a profile.
//
// When the first profile begins, V8 scans the whole heap, for 12 ms and more; when the last profile
// ends, V8 discards the result. So the next profile begins before the current one ends, which takes
// less than a millisecond. Only profiles of the console can overlap, and other profilers of the
// thread, such as DevTools, also see these. Each session makes a profile of its own for each title,
// and receives those of all others, so the titles are unique in a thread, and profilers with the
// same interval share a session.

const { profileOrNone } = require('../../loading/undocumented.js');
const { foreignName } = require('../../loop/platform.js');
const { shared } = require('../channels.js');
const { NANOSECONDS_PER_MILLISECOND } = require('../clock.js');
const { Profile } = require('./profile.js');

const NANOSECONDS_PER_MICROSECOND = 1e3;
const MICROSECONDS_PER_MILLISECOND = 1e3;

const TITLE = 'uv-scheduler: slow tasks';

// Returns the session of a thread for an interval in ms, which counts its profilers as `users`.
function joinSession(interval, Session) {
  const { profilerSessions } = shared;
  let found = profilerSessions.get(interval);
  if (found === undefined) {
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', {
      interval: Math.round(interval * MICROSECONDS_PER_MILLISECOND),
    });
    profilerSessions.set(interval, found = { session, users: 0 });
  }
  found.users++;
  return found.session;
}

function leaveSession(interval) {
  const found = shared.profilerSessions.get(interval);
  if (--found.users > 0) return;
  shared.profilerSessions.delete(interval);
  found.session.disconnect();
}

class Profiler {
  #interval;
  #console;
  #session;
  #onFinished = ({ params }) => {
    if (params.title === this.#current.title) this.#ended = params.profile;
  };
  #readClock;
  // The current profile: its title, and the times right before and right after its start.
  #current;
  // The profile of V8 that has ended last.
  #ended;
  // Added to V8's microseconds to get the time of our clock.
  #offset;

  // `interval` is the time between two samples in ms. Throws if the host has no such profiler,
  // for example a Node that was built without the inspector.
  constructor(interval, readClock) {
    if (foreignName !== undefined) {
      throw new Error(`Failed to execute 'reportSlowTasks': ${foreignName} has no profiler of ` +
        'V8, so the option stacks cannot be true');
    }
    const { Session, console } = require('node:inspector');
    this.#readClock = readClock;
    this.#console = console;
    this.#interval = interval;
    this.#session = joinSession(interval, Session);
    this.#session.on('Profiler.consoleProfileFinished', this.#onFinished);
    this.#current = this.#begin();
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
    return new Profile(profile, this.#offset);
  }

  // Returns the profile up to now, and begins the next one.
  rotate() {
    const next = this.#begin();
    const profile = this.#end();
    this.#current = next;
    return profile;
  }

  // Returns the profile up to now, and takes no more samples.
  stop() {
    const profile = this.#end();
    this.#session.off('Profiler.consoleProfileFinished', this.#onFinished);
    leaveSession(this.#interval);
    return profile;
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

module.exports = { Profiler };
