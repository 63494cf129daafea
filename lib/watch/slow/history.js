'use strict';

// A history of the work that blocked the thread, as long as a task may have waited. Times are in
// nanoseconds.
//
// The time is divided into chapters. A chapter stores how long each culprit blocked the thread, but
// not when. Older chapters are longer, as neighbours are merged while the result spans at most a
// fiftieth of its age: so their number grows only with the logarithm of the time. A period that
// overlaps a chapter gets the overlapping share. A chapter lists the tasks of the labels with the
// most time, and the sum of all others.

// The age of a merged chapter is at least this many times its length.
const AGES = 50;

// Below this number, chapters are not merged.
const FEW = 200;

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

  // Adds the chapter behind this one.
  append({ end, times }) {
    for (const [culprit, time] of times) this.add(culprit, time);
    putTogether(this.times);
    this.end = end;
  }

  get length() {
    return this.end - this.start;
  }
}

class History {
  // The oldest first. The last one still grows.
  chapters = [];
  #resolution;
  // Chapters are merged when there are more than this.
  #most = FEW;

  // A new chapter is this long, unless one culprit blocked the thread for longer.
  constructor(resolution) {
    this.#resolution = resolution;
  }

  // Adds the next period, with the time for which each culprit blocked the thread.
  add(start, end, shares) {
    let chapter = this.chapters.at(-1);
    const isFull = chapter === undefined || chapter.length >= this.#resolution;
    if (isFull || end - start >= this.#resolution) {
      if (this.chapters.length > this.#most) this.#merge(start);
      chapter = new Chapter(start);
      this.chapters.push(chapter);
    }
    for (const [culprit, time] of shares) chapter.add(culprit, time);
    chapter.end = end;
  }

  // Merges all chapters at once, each time when their number has doubled, so that an added chapter
  // costs the same however many there are.
  #merge(now) {
    const merged = [];
    for (const chapter of this.chapters) {
      const last = merged.at(-1);
      const length = chapter.end - (last?.start ?? -Infinity);
      if (AGES * length <= now - chapter.end) last.append(chapter);
      else merged.push(chapter);
    }
    this.chapters = merged;
    this.#most = Math.max(FEW, 2 * merged.length);
  }

  // The time for which each culprit blocked the thread in a period, by culprit.
  read(start, end) {
    const times = new Map();
    for (let i = this.chapters.length - 1; i >= 0; i--) {
      const chapter = this.chapters[i];
      if (chapter.end <= start) break;
      const overlap = Math.min(end, chapter.end) - Math.max(start, chapter.start);
      if (overlap <= 0) continue;
      const share = overlap / chapter.length;
      for (const [culprit, time] of chapter.times) add(times, culprit, share * time);
    }
    putTogether(times);
    return times;
  }
}

module.exports = { History, OTHER_TASKS };
