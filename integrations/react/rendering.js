'use strict';

// Charges the time for which React renders a section to the request of the section. React renders
// in immediates of its own, so while tasks are watched, that time is a step of the section.

const internal = require('../internal.js');
const { LABEL } = require('./props.js');

const { nextTick } = internal.platform;
const { now } = internal.time;

// The time in ms for which sections that are rendered in one go may block the thread.
const SLICE = 5;

// The gate whose section React renders, and the start time.
let rendered;
let since = 0;
// The time at which React began to render sections in this callback of the loop.
let begin = 0;

// What a section takes lately, in ms: a long one counts at once, and less and less.
let recent = 1;
const PART_OF_LAST = 0.25;

// React has reached an open gate. Until the callback of the loop ends, or React reaches another
// gate, React renders the section of this gate.
function noteRendering(gate) {
  if (rendered === gate) return;
  const time = now();
  if (rendered === undefined) {
    nextTick(endRendering);
    internal.ledger.point();
    begin = time;
  } else {
    charge(time);
  }
  rendered = gate;
  since = time;
  // Otherwise the flow of a task that has ended would end with its last gate, and not be charged.
  gate.options.flow?.beginWait();
  internal.taskWatch?.beginOutside(gate, LABEL, priorityOf(gate));
}

function endRendering() {
  charge(now());
  rendered = undefined;
}

const recentTime = () => recent;

// Whether React may go on with the section of an open gate: with the one that it renders, or with
// another one within the time slice.
const hasTimeFor = (gate) =>
  rendered === undefined || rendered === gate || now() - begin <= SLICE;

function charge(time) {
  const taken = time - since;
  recent = Math.max(taken, recent + (taken - recent) * PART_OF_LAST);
  const { flow } = rendered.options;
  internal.taskWatch?.endOutside(rendered);
  const isCharged = internal.ledger.pointOf(flow);
  if (!isCharged) internal.chargeOutside(flow, priorityOf(rendered), taken);
  flow?.endWait();
}

const priorityOf = ({ options: { priority, signal } }) => priority ?? signal.priority;

module.exports = { SLICE, hasTimeFor, noteRendering, recentTime };
