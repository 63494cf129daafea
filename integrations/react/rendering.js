'use strict';

// Charges the time for which React renders a section to the request of the section.

const { chargeOutside, platform, time } = require('../internal.js');

const { nextTick } = platform;
const { now } = time;


// The gate whose section React renders, and the start time.
let rendered;
let since = 0;

// React has reached an open gate. Until the callback of the loop ends, or React reaches another
// gate, React renders the section of this gate.
function noteRendering(gate) {
  if (rendered === gate) return;
  const time = now();
  if (rendered === undefined) nextTick(endRendering);
  else charge(time);
  rendered = gate;
  since = time;
}

function endRendering() {
  charge(now());
  rendered = undefined;
}

function charge(time) {
  const { flow, priority, signal } = rendered.options;
  chargeOutside(flow, priority ?? signal.priority, time - since);
}

module.exports = { noteRendering };
