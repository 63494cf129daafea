'use strict';

// Reads the events of a trace, and checks the rules that viewers need.

const ofKind = (events, ...kinds) => events.filter(({ ph }) => kinds.includes(ph));

const endOf = ({ ts, dur }) => ts + dur;
const isInside = (time, slice) => slice.ts <= time && time <= endOf(slice);

// Pairs of slices of a lane of which one begins within the other and ends after it. The sums are
// those of viewers, which work with floating-point numbers.
function findOverlaps(events) {
  const slices = ofKind(events, 'X');
  return [...new Set(slices.map(({ tid }) => tid))].flatMap((lane) => {
    const sorted = slices.filter(({ tid }) => tid === lane)
      .sort((a, b) => a.ts - b.ts || b.dur - a.dur);
    const open = [];
    return sorted.filter((slice) => {
      while (open.length > 0 && endOf(open.at(-1)) <= slice.ts) open.pop();
      const overlaps = open.length > 0 && endOf(slice) > endOf(open.at(-1));
      open.push(slice);
      return overlaps;
    });
  });
}

// The arrows whose ends are not as viewers need them: inside of slices, and the end behind the
// start.
function findLooseArrows(events) {
  const slices = ofKind(events, 'X');
  const hasSlice = ({ tid, ts }) => slices.some((each) => each.tid === tid && isInside(ts, each));
  const ends = new Map(ofKind(events, 'f').map((end) => [end.id, end]));
  return ofKind(events, 's').filter((start) => {
    const end = ends.get(start.id);
    if (end === undefined || !hasSlice(start) || end.ts < start.ts) return true;
    // An arrow's end binds to the slice that begins there.
    return end.bp !== 'e' || !slices.some(({ tid, ts }) => tid === end.tid && ts === end.ts);
  });
}

function lanesOf(events) {
  const names = ofKind(events, 'M').filter(({ name }) => name === 'thread_name');
  return new Map(names.map(({ tid, args }) => [args.name, tid]));
}

module.exports = { findLooseArrows, findOverlaps, isInside, lanesOf, ofKind };
