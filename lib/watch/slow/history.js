'use strict';

// Who has held the thread, for as far back as a task may have waited. Times are in nanoseconds.
//
// The time is divided into chapters. A chapter knows how long each culprit held the thread in it,
// and not when. The older chapters are, the longer they are: whenever a level has too many, its two
// oldest become one of the next level. So the memory is bounded, and a chapter takes at most about
// a fiftieth of the time that has passed since. What lies in a chapter in part counts in part. A
// chapter knows the tasks of the labels that took most of its time, and how long all others took.

// How many chapters a level has at most.
const MOST = 100;

// How many culprits a chapter has at most, for longer than it takes to have twice as many.
const MOST_CULPRITS = 100;

// The tasks of all other labels.
const OTHER_TASKS = { kind: 'task', label: '', priority: undefined };

// Leaves those who took most. Only tasks are put together.
function putTogether(times) {
  const tasks = [...times].filter(([{ kind }]) => kind === 'task');
  tasks.sort(([, one], [, other]) => one - other);
  let rest = 0;
  for (const [culprit, time] of tasks.slice(0, Math.max(0, times.size - MOST_CULPRITS))) {
    times.delete(culprit);
    rest += time;
  }
  if (rest > 0) times.set(OTHER_TASKS, (times.get(OTHER_TASKS) ?? 0) + rest);
}

function add(times, culprit, time) {
  times.set(culprit, (times.get(culprit) ?? 0) + time);
  if (times.size > 2 * MOST_CULPRITS) putTogether(times);
}

class Chapter {
  start;
  end;
  // By culprit.
  times = new Map();

  constructor(start) {
    this.start = start;
    this.end = start;
  }

  add(culprit, time) {
    if (time > 0) add(this.times, culprit, time);
  }

  get length() {
    return this.end - this.start;
  }
}

class History {
  // The shortest first; in each the oldest chapter first. The last one of the first is being made.
  levels = [[]];
  #resolution;

  // A chapter of the first level is this long, unless one culprit held the thread for longer.
  constructor(resolution) {
    this.#resolution = resolution;
  }

  // What follows the time that was added last: for how long each of the culprits held the thread.
  add(start, end, shares) {
    const [newest] = this.levels;
    let chapter = newest.at(-1);
    const isFull = chapter === undefined || chapter.length >= this.#resolution;
    if (isFull || end - start >= this.#resolution) {
      chapter = new Chapter(start);
      newest.push(chapter);
      this.#merge(0);
    }
    for (const [culprit, time] of shares) chapter.add(culprit, time);
    chapter.end = end;
  }

  #merge(index) {
    const level = this.levels[index];
    if (level.length <= MOST) return;
    const [older, newer] = level.splice(0, 2);
    for (const [culprit, time] of newer.times) older.add(culprit, time);
    putTogether(older.times);
    older.end = newer.end;
    if (this.levels.length === index + 1) this.levels.push([]);
    this.levels[index + 1].push(older);
    this.#merge(index + 1);
  }

  // For how long each culprit held the thread in a time, by culprit.
  read(start, end) {
    const times = new Map();
    for (const level of this.levels) {
      for (let i = level.length - 1; i >= 0; i--) {
        const chapter = level[i];
        if (chapter.end <= start) break;
        const overlap = Math.min(end, chapter.end) - Math.max(start, chapter.start);
        if (overlap <= 0) continue;
        const share = overlap / chapter.length;
        for (const [culprit, time] of chapter.times) add(times, culprit, share * time);
      }
    }
    putTogether(times);
    return times;
  }
}

module.exports = { History, OTHER_TASKS };
