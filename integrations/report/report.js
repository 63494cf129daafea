'use strict';

// The report of one thread: writes a line for each slow callback, keeps the sums by place and the
// file, and writes the summary.

const { threadId } = require('node:worker_threads');
const { blocked } = require('../blocked.js');
const { snapshots } = require('../health/snapshots.js');
const { time } = require('../internal.js');
const { writeLine } = require('./lines.js');
const { listensTo } = require('./listens-to.js');
const {
  NONE, describe, describePlace, fileOf, garbageIn, isNamed, isOfReport, kindOf, lineOf, linkTo,
  nameable, placeIn, titleOf,
} = require('./place.js');
const { toPage } = require('./page.js');
const { replaceFile } = require('./replace-file.js');
const { Names, isHealthCheck } = require('./route.js');
const { GOES_ON } = require('./settings.js');
const { Turns } = require('./turns.js');
const { Workers } = require('./workers.js');

const { NANOSECONDS_PER_MILLISECOND, clearTimer, setRepeated, setTimer, setTurn } = time;

// The version of the JSON file, and of the messages of the channel.
const SCHEMA = 1;

// The minimum time in ms between two lines of a place: at first, and up to which it doubles with
// each line.
const APART = 60_000;
const MOST_APART = 3_600_000;

// How often the file is written, in ms.
const WRITES = 10_000;

// Callbacks also count as blocked beyond this multiple of the duration.
const LONG = 4;

// How long after a report of a callback the loop has begun with what waited for it, in ms, also if
// it never waits.
const BEHIND = 100;

// The maximum number of places in a summary, of places that are kept, and of the last callbacks
// that the health server shows.
const MOST_SHOWN = 10;
const MOST_PLACES = 1000;
const MOST_LAST = 20;

// A function besides the place is worth a mention above this share of the time.
const MUCH = 0.5;

const round = (milliseconds) => Math.round(milliseconds * 10) / 10;
const toMilliseconds = (time) => round(time / NANOSECONDS_PER_MILLISECOND);
const shareOf = (part, whole) => (whole > 0 ? Math.min(1, part / whole) : 0);
// Of a time in ms in one in ns.
const shareIn = (part, time) => shareOf(part * NANOSECONDS_PER_MILLISECOND, time);
// The first toLocaleString() would take ten.
const inMs = (milliseconds) => `${Math.round(milliseconds)} ms`.replace(/\B(?=(?:\d{3})+ )/g, ',');
const inPercent = (share) => `${(100 * share).toFixed(1)} %`;
const inSeconds = (time) => `${(time / 1e9).toFixed(1)} s`;

const count = (number, name) => `${number} ${name}${number === 1 ? '' : 's'}`;

function listOf(parts) {
  return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

// The waits in words, such as "3 requests and 1 connection waited"; empty if nothing waited.
function describeWaited({ requests, connections, tasks }, routes) {
  const numbers = Object.entries({ request: requests, connection: connections, task: tasks });
  const parts = numbers.filter(([, number]) => number > 0);
  if (parts.length === 0) return '';
  const named = requests > 0 ? ` (${routes})` : '';
  return `; ${listOf(parts.map(([name, number]) => count(number, name)))} waited${named}`;
}

const describeRoutes = (routes) => (routes.all.length > 0 ? ` in ${routes}` : '');

// The maximum number of routes that are kept for a place, and of those that a line names.
const MOST_ROUTES = 100;
const MOST_NAMED = 3;

// Counts the routes of requests, or adds up their times.
class Routes {
  #sums = new Map();

  add(routes, time = 1) {
    for (const route of routes) {
      if (!this.#sums.has(route) && this.#sums.size >= MOST_ROUTES) continue;
      this.#sums.set(route, (this.#sums.get(route) ?? 0) + time);
    }
  }

  get names() {
    return this.all.map(([route]) => route);
  }

  // Health checks first, then the largest.
  get all() {
    const isOne = ([route]) => isHealthCheck(route);
    return [...this.#sums].sort((a, b) => isOne(b) - isOne(a) || b[1] - a[1]);
  }

  toString() {
    const names = this.names.map((route) =>
      (isHealthCheck(route) ? `health check ${route}` : route));
    const more = names.length - MOST_NAMED;
    return listOf(more > 0 ? [...names.slice(0, MOST_NAMED), `${more} more`] : names);
  }

  toJSON() {
    return this.all.map(([route, sum]) => ({ route, sum: round(sum) }));
  }
}

function toRoutes(names) {
  const routes = new Routes();
  routes.add(names);
  return routes;
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
  // Of the requests whose code it was, in ms, and of those that waited.
  routes = new Routes();
  waitedRoutes = new Routes();
  // The earliest time of the next line and how long that is behind the last one, in ms; how many
  // callbacks came since, and the longest.
  #quietUntil = -Infinity;
  #apart = 0;
  unshown = 0;
  worstUnshown = 0;

  constructor(frame, kind, isEarly) {
    this.frame = frame;
    this.kind = kind;
    this.isEarly = isEarly;
  }

  add({ duration, functions = [] }, waited, { own, late }) {
    this.routes.add(own, duration);
    this.waitedRoutes.add(late);
    this.count++;
    this.time += duration;
    this.longest = Math.max(this.longest, duration);
    this.garbage += garbageIn(functions);
    for (const name of Object.keys(waited)) this.waited[name] += waited[name];
  }

  // Whether a callback that began at this time gets a line. A place that was quiet for longer than
  // any place has to be begins anew.
  takesLine({ startedAt, duration }) {
    if (startedAt < this.#quietUntil) {
      this.unshown++;
      this.worstUnshown = Math.max(this.worstUnshown, duration);
      return false;
    }
    const isNew = startedAt - this.#quietUntil > MOST_APART;
    this.#apart = isNew ? APART : Math.min(2 * this.#apart, MOST_APART);
    this.#quietUntil = startedAt + this.#apart;
    return true;
  }

  shown() {
    this.unshown = 0;
    this.worstUnshown = 0;
  }
}

// The time of a part of the program, how much of it was blocked beyond each bound, and how much of
// that was named.
class Sums {
  since;
  time = 0;
  blocked;
  all = 0;
  named = 0;
  #bounds;

  constructor(bounds, since) {
    this.#bounds = bounds;
    this.blocked = bounds.map(() => 0);
    this.since = since;
  }

  // Times are in ms.
  add(length, isNamed) {
    this.all += length;
    if (isNamed) this.named += length;
    this.#bounds.forEach((bound, i) => {
      if (length > bound) this.blocked[i] += length;
    });
  }
}

class Report {
  #watch;
  #settings;
  #turns;
  // The bounds in ms, and the sums since the program listens, and before.
  #bounds;
  #sums;
  #sumsBefore;
  #endWrites;
  #names = new Names();
  #workers = new Workers();
  // The report at the health server, which has the last messages.
  #snapshot;
  #last = [];
  // The messages that no tick could publish, until the next turn.
  #unpublished = [];
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
    this.#bounds = [settings.duration, LONG * settings.duration];
    this.#sums = new Sums(this.#bounds, watch.now());
    this.#turns = new Turns(watch, settings.duration, {
      onCaughtUp: () => this.#pending.length > 0 && this.#update(),
      onExit: () => this.#end(),
    });
  }

  // Writes the first file, which lists nothing yet: so a name that cannot be written to is reported
  // at the start, and a process that is killed soon leaves a file.
  begin() {
    const { signal } = this.#settings;
    this.#turns.begin();
    this.#names.begin();
    this.#workers.begin();
    this.#snapshot = snapshots.offer('blocked', () => this.#toSnapshot());
    this.#writeFile();
    if (this.#hasFile) this.#endWrites = setRepeated(() => this.#update(0), WRITES);
    if (signal !== undefined) process.on(signal, this.#onSignal);
  }

  // Writes the summary, and nothing more.
  stop() {
    this.#turns.stop();
    this.#end();
    this.#names.end();
    this.#workers.end();
    this.#snapshot.end();
    const { signal } = this.#settings;
    if (signal !== undefined) process.off(signal, this.#onSignal);
  }

  // Only if the program does not listen to the signal.
  #onSignal = (signal) => {
    if (listensTo(signal, 1)) return;
    if (signal !== GOES_ON) {
      this.#guard(() => this.#watch.exit());
      process.off(signal, this.#onSignal);
      process.kill(process.pid, signal);
      return;
    }
    this.#guard(() => {
      this.#addPending();
      this.#summarize();
    });
  };

  // Takes a report on a slow callback.
  add(entry) {
    if (entry.type !== 'duration' || isOfReport(entry)) return;
    if (this.#pending.push({ entry, addedAt: this.#watch.now() }) === 1) this.#updateLater();
  }

  // Takes a report that comes in a tick behind the callback, in its async context.
  addSoon = (entry) => {
    if (!blocked.hasSubscribers || isOfReport(entry)) return;
    this.#guard(() => {
      const [start, end] = this.#periodOf(entry);
      const frame = placeIn(entry);
      const kind = this.#places.get(this.#keyOf(frame, start))?.kind ?? kindOf(entry, frame);
      blocked.publish(this.#messageOf(entry, frame, kind, this.#routesOf(entry, start, end)));
    });
  };

  // The timer may be late, behind a block that was reported just now.
  #updateLater() {
    clearTimer(this.#timer);
    this.#timer = setTimer(() => {
      const latest = this.#watch.now() - BEHIND * NANOSECONDS_PER_MILLISECOND;
      this.#update(this.#pending.filter(({ addedAt }) => addedAt <= latest).length);
    }, BEHIND).unref();
  }

  // The file is up to date whenever a signal ends the process.
  #update(count) {
    this.#addPending(count);
    this.#guard(() => this.#writeFile());
    if (count === 0 || this.#places.size === 0) return;
    this.#guard(() => this.#workers.send(() => this.#summary()));
  }

  // Counts the oldest of them.
  #addPending(count = this.#pending.length) {
    clearTimer(this.#timer);
    this.#timer = undefined;
    for (const { entry } of this.#pending.splice(0, count)) {
      this.#guard(() => this.#addCallback(entry));
    }
    if (this.#pending.length > 0) this.#updateLater();
  }

  #end() {
    this.#endWrites?.();
    this.#addPending();
    this.#publishAll();
    this.#guard(() => {
      this.#summarize();
      this.#workers.send();
    });
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
    const { duration } = entry;
    const [start, end] = this.#periodOf(entry);
    const { waited, late: requests } = this.#turns.waitedFor(start, end);
    const late = requests.map((each) => this.#names.nameOf(each));
    const own = this.#routesOf(entry, start, end);
    const frame = placeIn(entry);
    this.#divide();
    const place = this.#placeOf(entry, frame, start);
    this.#tell(entry, this.#messageOf(entry, frame, place.kind, own));
    if (frame === NONE) {
      // No stack was read, as when the machine stood still.
      this.#sums.add(duration, false);
      return;
    }
    if (this.#places.size < MOST_PLACES) this.#places.set(this.#keyOf(frame, start), place);
    place.add(entry, waited, { own: own.names, late });
    const isBefore = place.isEarly && this.#sumsBefore !== undefined;
    (isBefore ? this.#sumsBefore : this.#sums).add(duration, isNamed(frame));
    if (!place.takesLine(entry)) return;
    const when = this.#isStartUp(place) ? 'at start-up ' : '';
    const what = `${describeBlock(entry, frame)}${describeRoutes(own)}`;
    writeLine(`${when}blocked for ${what}${describeWaited(waited, toRoutes(late))}` +
      describeUnshown(place), ...this.#linksOnce(place));
    place.shown();
  }

  #periodOf({ startedAt, duration }) {
    const start = this.#watch.origin + startedAt * NANOSECONDS_PER_MILLISECOND;
    return [start, start + duration * NANOSECONDS_PER_MILLISECOND];
  }

  // The routes of the requests whose code a callback was, and the names of other work.
  #routesOf({ requests = [] }, start, end) {
    const begun = requests.length === 0 ? this.#turns.requestIn(start, end) : undefined;
    const all = begun === undefined ? requests : [begun];
    return toRoutes(all.map((each) => this.#names.nameOf(each)));
  }

  // For the stacks: the request or the named work whose code runs.
  currentRequest = () => this.#names.current() ?? this.#turns.currentRequest();

  // The message of the channel, and of the health server.
  #messageOf({ duration, label, stack = [], startedAt }, frame, kind, { names: routes }) {
    return {
      schema: SCHEMA,
      startedAt,
      duration,
      place: describePlace(frame),
      functionName: frame.functionName,
      file: fileOf(frame.scriptName),
      line: lineOf(frame),
      kind,
      help: linkTo(kind),
      label,
      route: routes[0] ?? '',
      routes,
      stack: stack.map(describeCall).join('\n'),
    };
  }

  // A message that no tick could publish is published in a turn: subscribers may do anything.
  #tell({ isTold }, message) {
    this.#last.unshift(message);
    this.#last.length = Math.min(this.#last.length, MOST_LAST);
    this.#snapshot.changed();
    if (isTold || !blocked.hasSubscribers) return;
    if (this.#unpublished.push(message) === 1) setTurn(() => this.#publishAll());
  }

  #publishAll() {
    for (const message of this.#unpublished.splice(0)) blocked.publish(message);
  }

  #toSnapshot() {
    const last = this.#last.map(({ startedAt, ...message }) => {
      return { at: new Date(performance.timeOrigin + startedAt).toISOString(), ...message };
    });
    const text = `${JSON.stringify({ ...this.#toJSON(), last })}\n`;
    return { 'application/json': text, 'text/html': toPage(JSON.parse(text)) };
  }

  #linksOnce(place) {
    const kind = this.#kindOf(place);
    if (kind === 'start-up' || this.#linked.has(kind)) return [];
    this.#linked.add(kind);
    return [describeKind(kind)];
  }

  // A new place is not kept yet.
  #placeOf(entry, frame, start) {
    const key = this.#keyOf(frame, start);
    return this.#places.get(key) ?? new Place(frame, kindOf(entry, frame), this.#isEarly(start));
  }

  #keyOf({ functionName, scriptName, lineNumber, columnNumber }, start) {
    return `${this.#isEarly(start)} ${functionName} ${scriptName}:${lineNumber}:${columnNumber}`;
  }

  #isEarly(start) {
    const { listeningSince } = this.#turns;
    return listeningSince === undefined || start < listeningSince;
  }

  // Start-up is what came before the program listened. A program that does not listen has its work
  // there, and modules are its start-up.
  #isStartUp({ isEarly, kind }) {
    return isEarly && (this.#turns.listeningSince !== undefined || kind === 'loading');
  }

  #summarize() {
    writeLine(...this.#summary());
    this.#writeFile();
  }

  #summary() {
    const lines = this.#worstPlaces().flatMap((place, i) => this.#describe(place, i));
    return [this.#firstLine(), ...lines];
  }

  #worstPlaces() {
    // Start-up delays no request.
    const places = [...this.#places.values()].sort((one, other) =>
      this.#isStartUp(one) - this.#isStartUp(other) || other.time - one.time);
    return places.slice(0, MOST_SHOWN);
  }

  // The program has begun to listen meanwhile, or more time has passed.
  #divide() {
    const { listeningSince } = this.#turns;
    if (listeningSince !== undefined && this.#sumsBefore === undefined) {
      this.#sumsBefore = this.#sums;
      this.#sumsBefore.time = listeningSince - this.#sumsBefore.since;
      this.#sums = new Sums(this.#bounds, listeningSince);
    }
    this.#sums.time = this.#watch.now() - this.#sums.since;
  }

  #firstLine() {
    this.#divide();
    const [sums, sumsBefore] = [this.#sums, this.#sumsBefore];
    const startUp = sumsBefore && ` after ${inSeconds(sumsBefore.time)} of start-up`;
    const watched = `watched for ${inSeconds(sums.time)}${startUp ?? ''}`;
    const shares = this.#bounds.map((bound, i) =>
      `beyond ${bound} ms: ${inPercent(shareIn(sums.blocked[i], sums.time))}`);
    const [all, named] = ['all', 'named'].map((name) => sums[name] + (sumsBefore?.[name] ?? 0));
    const none = `no callback blocked the thread for longer than ${this.#settings.duration} ms`;
    const more = all === 0 ? none : `${inPercent(shareOf(named, all))} of that named`;
    return `${watched}; blocked ${shares.join(', ')}; ${more}`;
  }

  #describe(place, index) {
    const { frame, time, longest, garbage, routes, waited, waitedRoutes } = place;
    const kind = this.#kindOf(place);
    const collected = garbage >= 1 ? `, garbage collections ${inMs(garbage)}` : '';
    const sums = `${inMs(time)} in ${count(place.count, 'callback')}, longest ${inMs(longest)}`;
    return [
      `${index + 1}. ${describePlace(frame)}${describeRoutes(routes)}: ${sums}${collected}` +
        describeWaited(waited, waitedRoutes),
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
    this.#divide();
    const [sums, sumsBefore] = [this.#sums, this.#sumsBefore];
    return {
      schema: SCHEMA,
      pid: process.pid,
      threadId,
      node: process.versions.node,
      beganAt: new Date(this.#beganAt).toISOString(),
      duration: this.#settings.duration,
      startUp: sumsBefore === undefined ? null : this.#sumsToJSON(sumsBefore),
      ...this.#sumsToJSON(sums),
      places: this.#worstPlaces().map((place) => this.#placeToJSON(place)),
    };
  }

  #sumsToJSON({ all, named, time, blocked }) {
    return {
      watched: toMilliseconds(time),
      blocked: this.#bounds.map((beyond, i) => {
        return { beyond, time: round(blocked[i]), share: shareIn(blocked[i], time) };
      }),
      named: all === 0 ? 1 : shareOf(named, all),
    };
  }

  #placeToJSON(place) {
    const { frame, routes, waited, waitedRoutes } = place;
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
      routes,
      waitedRoutes,
      help: linkTo(kind),
    };
  }
}

// How long a callback has taken, and where.
function describeBlock({ kind, label, duration, functions: [first] = [] }, frame) {
  const hottest = first && nameable(first);
  const task = kind === 'other' || label === '' ? '' : ` in the task ${JSON.stringify(label)}`;
  const isOther = hottest !== undefined && !isSame(hottest, frame);
  const isMuch = isOther && hottest.self >= MUCH * duration;
  const more = isMuch ? `, of which ${inMs(hottest.self)} in ${describe(hottest)}` : '';
  return `${inMs(duration)} by ${describePlace(frame)}${more}${task}`;
}

// A call in the form of V8. The column is known where a function begins only.
function describeCall({ functionName, scriptName, line, lineNumber, columnNumber }) {
  const file = fileOf(scriptName) || '<anonymous>';
  const isBegin = line === undefined || line === lineNumber;
  const position = [line ?? lineNumber ?? 1, isBegin && columnNumber || 1];
  return `    at ${functionName || '<anonymous>'} (${file}:${position.join(':')})`;
}

const NAMES = ['functionName', 'scriptName', 'lineNumber', 'columnNumber'];
const isSame = (one, other) => NAMES.every((name) => one[name] === other[name]);

const describeKind = (kind) => `${titleOf(kind)}: ${linkTo(kind)}`;

const describeUnshown = ({ unshown, worstUnshown }) => (unshown > 0
  ? ` (${unshown} more since the last line, the longest ${inMs(worstUnshown)})`
  : '');

module.exports = { Place, Report };
