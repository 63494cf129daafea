'use strict';

// A history of the work that blocked the thread, as long as a task may have waited. Times are in
// nanoseconds.
//
// The time is divided into chapters. A chapter stores how long each culprit blocked the thread, but
// not when. Older chapters are longer: when a level has too many chapters, its two oldest become
// one chapter of the next level. So the memory is bounded, and a chapter spans at most about a
// fiftieth of its age. A period that overlaps a chapter gets the overlapping share. A chapter lists
// the tasks of the labels with the most time, and the sum of all others.

// The maximum number of chapters of a level.
const MOST = 100;

// Trim the culprits of a chapter to this many as soon as there are more than twice as many.
const MOST_CULPRITS = 100;

// The tasks of all other labels.
const OTHER_TASKS = { kind: 'task', label: '', priority: undefined };

// Keeps the culprits with the most time. Only tasks are combined.
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
  // The levels with the shortest chapters first; in each level the oldest chapter first. The last
  // chapter of the first level still grows.
  levels = [[]];
  #resolution;

  // A chapter of the first level is this long, unless one culprit blocked the thread for longer.
  constructor(resolution) {
    this.#resolution = resolution;
  }

  // Adds the next period, with the time for which each culprit blocked the thread.
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

  // The time for which each culprit blocked the thread in a period, by culprit.
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
