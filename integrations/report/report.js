'use strict';

// The report of one thread: writes a line for each slow callback, keeps the sums by place and the
// file, and writes the summary.

const { lstatSync, renameSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { threadId } = require('node:worker_threads');
const { time } = require('../internal.js');
const { writeLine } = require('./lines.js');
const {
  describe, fileOf, garbageIn, isOfReport, kindOf, lineOf, linkTo, nameable, placeIn, titleOf,
} = require('./place.js');
const { GOES_ON } = require('./settings.js');
const { BOUNDS, Turns } = require('./turns.js');

const { NANOSECONDS_PER_MILLISECOND, clearTimer, setTimer } = time;

// The version of the JSON file.
const SCHEMA = 1;

// The minimum time in ms between two callbacks of a place that get a line.
const APART = 1000;

// How long after a report of a callback the loop has begun with what waited for it, in ms, also if
// it never waits.
const BEHIND = 100;

// The maximum number of places in a summary, and of places that are kept.
const MOST_SHOWN = 10;
const MOST_PLACES = 1000;

// A function besides the place is worth a mention above this share of the time.
const MUCH = 0.5;

const round = (milliseconds) => Math.round(milliseconds * 10) / 10;
const toMilliseconds = (time) => round(time / NANOSECONDS_PER_MILLISECOND);
const shareOf = (part, whole) => (whole > 0 ? Math.min(1, part / whole) : 0);
const inMs = (milliseconds) => `${Math.round(milliseconds).toLocaleString('en')} ms`;
const inPercent = (share) => `${(100 * share).toFixed(1)} %`;
const inSeconds = (time) => `${(time / 1e9).toFixed(1)} s`;

const count = (number, name) => `${number} ${name}${number === 1 ? '' : 's'}`;

function listOf(parts) {
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

// The waits in words, such as "3 requests and 1 connection waited"; empty if nothing waited.
function describeWaited({ requests, connections, tasks }) {
  const numbers = Object.entries({ request: requests, connection: connections, task: tasks });
  const parts = numbers.filter(([, number]) => number > 0);
  if (parts.length === 0) return '';
  return `; ${listOf(parts.map(([name, number]) => count(number, name)))} waited`;
}

// The callbacks that one place has blocked the thread in.
class Place {
  frame;
  kind;
  // Whether they began before the program was seen to listen.
  isEarly;
  count = 0;
  time = 0;
  longest = 0;
  garbage = 0;
  waited = { requests: 0, connections: 0, tasks: 0 };
  // When the last callback with a line began, and how many came since.
  #shownAt = -Infinity;
  unshown = 0;

  constructor(frame, kind, isEarly) {
    this.frame = frame;
    this.kind = kind;
    this.isEarly = isEarly;
  }

  add({ duration, functions = [] }, waited) {
    this.count++;
    this.time += duration;
    this.longest = Math.max(this.longest, duration);
    this.garbage += garbageIn(functions);
    for (const name of Object.keys(waited)) this.waited[name] += waited[name];
  }

  // Whether a callback that began at this time gets a line.
  takesLine(startedAt) {
    const isDue = startedAt - this.#shownAt >= APART;
    if (isDue) this.#shownAt = startedAt;
    else this.unshown++;
    return isDue;
  }
}

class Report {
  #watch;
  #settings;
  #turns;
  #beganAt = Date.now();
  // The callbacks that are not counted yet, as what waited for them may still come.
  #pending = [];
  #timer;
  // By function, line of its beginning, and whether the program listened.
  #places = new Map();
  // The kinds of work that a line has linked to the documents. The end has all links, but a signal
  // ends most servers before.
  #linked = new Set();
  // Whether the file can be written.
  #hasFile;

  constructor(watch, settings) {
    this.#watch = watch;
    this.#settings = settings;
    this.#hasFile = settings.file !== undefined;
    this.#turns = new Turns(watch, settings.duration, {
      onRead: () => this.#updateLater(),
      onCaughtUp: () => this.#pending.length > 0 && this.#update(),
      onExit: () => this.#end(),
    });
  }

  // Writes the first file, which lists nothing yet: so a name that cannot be written to is reported
  // at the start, and a process that is killed soon leaves a file.
  begin() {
    const { signal } = this.#settings;
    this.#turns.begin();
    this.#writeFile();
    if (signal !== undefined) process.on(signal, this.#onSignal);
  }

  // Only if the program does not listen to the signal.
  #onSignal = (signal) => {
    if (process.listenerCount(signal) > 1) return;
    if (signal !== GOES_ON) {
      this.#guard(() => this.#watch.exit());
      process.off(signal, this.#onSignal);
      process.kill(process.pid, signal);
      return;
    }
    this.#guard(() => {
      this.#turns.read();
      this.#addPending();
      this.#summarize();
    });
  };

  // Takes a report on a slow callback.
  add(entry) {
    if (entry.type !== 'duration' || isOfReport(entry)) return;
    if (this.#pending.push(entry) === 1) this.#updateLater();
  }

  #updateLater() {
    clearTimer(this.#timer);
    this.#timer = setTimer(() => this.#update(), BEHIND).unref();
  }

  // The file is up to date whenever a signal ends the process.
  #update() {
    this.#addPending();
    this.#guard(() => this.#writeFile());
  }

  #addPending() {
    clearTimer(this.#timer);
    this.#timer = undefined;
    for (const entry of this.#pending.splice(0)) this.#guard(() => this.#addCallback(entry));
  }

  #end() {
    this.#addPending();
    this.#guard(() => this.#summarize());
  }

  // An error would be an uncaught exception of the program.
  #guard(work) {
    try {
      work();
    } catch (error) {
      writeLine(`the report failed: ${error.message}`);
    }
  }

  #addCallback(entry) {
    const { startedAt, duration } = entry;
    const start = this.#watch.origin + startedAt * NANOSECONDS_PER_MILLISECOND;
    const waited = this.#turns.waitedFor(start, start + duration * NANOSECONDS_PER_MILLISECOND);
    const frame = placeIn(entry);
    const place = this.#placeOf(entry, frame, start);
    place.add(entry, waited);
    if (!place.takesLine(startedAt)) return;
    const when = this.#isStartUp(place) ? 'at start-up ' : '';
    writeLine(`${when}blocked for ${describeBlock(entry, frame)}${describeWaited(waited)}` +
      describeUnshown(place), ...this.#linksOnce(place));
    place.unshown = 0;
  }

  #linksOnce(place) {
    const kind = this.#kindOf(place);
    if (kind === 'start-up' || this.#linked.has(kind)) return [];
    this.#linked.add(kind);
    return [describeKind(kind)];
  }

  #placeOf(entry, frame, start) {
    const { listeningSince } = this.#turns;
    const isEarly = listeningSince === undefined || start < listeningSince;
    const { functionName, scriptName, lineNumber, columnNumber } = frame;
    const key = `${isEarly} ${functionName} ${scriptName}:${lineNumber}:${columnNumber}`;
    let place = this.#places.get(key);
    if (place === undefined) {
      place = new Place(frame, kindOf(entry, frame), isEarly);
      if (this.#places.size < MOST_PLACES) this.#places.set(key, place);
    }
    return place;
  }

  // Start-up is what came before the program listened. A program that does not listen has its work
  // there, and modules are its start-up.
  #isStartUp({ isEarly, kind }) {
    return isEarly && (this.#turns.listeningSince !== undefined || kind === 'loading');
  }

  #summarize() {
    const places = this.#worstPlaces();
    writeLine(this.#firstLine(), ...places.flatMap((place, i) => this.#describe(place, i)));
    this.#writeFile();
  }

  #worstPlaces() {
    // Start-up delays no request.
    const places = [...this.#places.values()].sort((one, other) =>
      this.#isStartUp(one) - this.#isStartUp(other) || other.time - one.time);
    return places.slice(0, MOST_SHOWN);
  }

  #firstLine() {
    const { sums, sumsBefore } = this.#turns;
    const startUp = sumsBefore && ` after ${inSeconds(sumsBefore.time)} of start-up`;
    const watched = `watched for ${inSeconds(sums.time)}${startUp ?? ''}`;
    const shares = BOUNDS.map((bound, i) =>
      `beyond ${bound} ms: ${inPercent(shareOf(sums.blocked[i], sums.time))}`);
    const none = `no callback blocked the thread for longer than ${this.#settings.duration} ms`;
    return `${watched}; blocked ${shares.join(', ')}${this.#places.size === 0 ? `; ${none}` : ''}`;
  }

  #describe(place, index) {
    const { frame, time, longest, garbage, waited } = place;
    const kind = this.#kindOf(place);
    const collected = garbage >= 1 ? `, garbage collections ${inMs(garbage)}` : '';
    const sums = `${inMs(time)} in ${count(place.count, 'callback')}, longest ${inMs(longest)}`;
    return [
      `${index + 1}. ${describe(frame)}: ${sums}${collected}${describeWaited(waited)}`,
      `   ${describeKind(kind)}`,
    ];
  }

  #kindOf(place) {
    return this.#isStartUp(place) ? 'start-up' : place.kind;
  }

  #writeFile() {
    if (!this.#hasFile) return;
    const { file } = this.#settings;
    try {
      replaceFile(file, `${JSON.stringify(this.#toJSON(), undefined, 2)}\n`);
    } catch (error) {
      this.#hasFile = false;
      writeLine(`UV_SCHEDULER_REPORT_FILE cannot be written, ${JSON.stringify(file)}: ` +
        error.message);
    }
  }

  // Times are in ms.
  #toJSON() {
    const { sums, sumsBefore } = this.#turns;
    return {
      schema: SCHEMA,
      pid: process.pid,
      threadId,
      node: process.versions.node,
      beganAt: new Date(this.#beganAt).toISOString(),
      duration: this.#settings.duration,
      startUp: sumsBefore === undefined ? null : sumsToJSON(sumsBefore),
      ...sumsToJSON(sums),
      places: this.#worstPlaces().map((place) => this.#placeToJSON(place)),
    };
  }

  #placeToJSON(place) {
    const { frame, waited } = place;
    const kind = this.#kindOf(place);
    return {
      functionName: frame.functionName,
      file: fileOf(frame.scriptName),
      line: lineOf(frame) ?? null,
      kind,
      isStartUp: this.#isStartUp(place),
      callbacks: place.count,
      time: round(place.time),
      longest: round(place.longest),
      garbage: round(place.garbage),
      waited,
      help: linkTo(kind),
    };
  }
}

// A signal may end the process in the middle of a write, so the old file stays until the new one is
// complete. A device or a link is written to, and so is a file in a folder that is not writable.
function replaceFile(file, text) {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() === false) {
    writeFileSync(file, text);
    return;
  }
  try {
    const made = path.join(path.dirname(file), `.${path.basename(file)}.new`);
    writeFileSync(made, text);
    renameSync(made, file);
  } catch {
    writeFileSync(file, text);
  }
}

// How long a callback has taken, and where.
function describeBlock({ kind, label, duration, functions: [first] = [] }, frame) {
  const hottest = first && nameable(first);
  const task = kind === 'other' || label === '' ? '' : ` in the task ${JSON.stringify(label)}`;
  const isOther = hottest !== undefined && !isSame(hottest, frame);
  const isMuch = isOther && hottest.self >= MUCH * duration;
  const more = isMuch ? `, of which ${inMs(hottest.self)} in ${describe(hottest)}` : '';
  return `${inMs(duration)} by ${describe(frame)}${more}${task}`;
}

const NAMES = ['functionName', 'scriptName', 'lineNumber', 'columnNumber'];
const isSame = (one, other) => NAMES.every((name) => one[name] === other[name]);

function sumsToJSON({ time, blocked }) {
  return {
    watched: toMilliseconds(time),
    blocked: BOUNDS.map((beyond, i) => {
      return { beyond, time: toMilliseconds(blocked[i]), share: shareOf(blocked[i], time) };
    }),
  };
}

const describeKind = (kind) => `${titleOf(kind)}: ${linkTo(kind)}`;

const describeUnshown = ({ unshown }) =>
  (unshown > 0 ? ` (${unshown} more since the last line)` : '');

module.exports = { Report };
