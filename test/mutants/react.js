'use strict';

// Mutants of integrations/react/: the turns of sections.

const OPENINGS = 'integrations/react/openings.js';
const GROUPS = 'integrations/react/groups.js';
const LANES = 'integrations/react/lanes.js';

const room = (name) => [`test/integrations/react/${name}.test.js`];
const GATE = ['test/integrations/http/admission-gate.test.js'];

module.exports = [
  {
    name: 'all sections that React reaches in a turn are rendered in it',
    file: OPENINGS,
    find: 'if (!this.#hasRoom()) return false;',
    replace: '',
    tests: room('react'),
    grep: 'edge runtimes',
  },
  {
    name: 'a section stays open behind its turn',
    file: OPENINGS,
    find: 'for (const gate of this.#opened) gate.close();',
    replace: '',
    tests: room('react-data'),
  },
  {
    name: 'requests of the priority of the waiting sections go before them',
    file: LANES,
    find: 'each <= rank && groups > 0',
    replace: 'each < rank && groups > 0',
    tests: GATE,
    grep: 'short pages end',
  },
  {
    name: 'requests do not hear that sections have left',
    file: GROUPS,
    find: 'newest.delete(this.signal);\n    sectionsLeft();',
    replace: 'newest.delete(this.signal);',
    tests: GATE,
  },
  {
    name: 'requests do not hear that the priority of sections has changed',
    file: GROUPS,
    find: 'this.#enter(priority);\n    sectionsLeft();',
    replace: 'this.#enter(priority);',
    tests: GATE,
  },
  {
    name: 'the last section of a callback is charged to nobody',
    file: 'integrations/react/rendering.js',
    find: '  charge(now());',
    replace: '',
    tests: room('react-requests'),
  },
  {
    name: 'the rendering of a section counts as work outside of tasks',
    file: 'integrations/react/rendering.js',
    find: '  internal.taskWatch?.beginOutside(gate, LABEL, priorityOf(gate));',
    replace: '',
    tests: room('react-watch'),
  },
  {
    name: 'renders that are over are looked for once only',
    file: 'integrations/react/questions.js',
    find: 'isAskingAll = false;\n}',
    replace: '}',
    tests: room('react-ended'),
    grep: 'keeps its sections from a turn',
  },
  {
    name: 'further sections open beside one of a higher priority that waits',
    file: OPENINGS,
    find: 'if (rank < this.#rank) this.#isOutranked = true;',
    replace: '',
    tests: room('react-ended'),
    grep: 'no further section in a turn',
  },
  {
    name: 'renders that are over are found one by one',
    file: OPENINGS,
    find: 'else if (this.#opened.length === 0) width = Math.min(2 * width, MOST_ASKED);',
    replace: '',
    tests: room('react-ended'),
    grep: 'is found soon',
  },
  {
    name: 'as many renders are asked for each section as once were over',
    file: OPENINGS,
    find: 'width = Math.max(1, width >> 1);',
    replace: ';',
    tests: room('react-ended'),
    grep: 'is found soon',
  },
  {
    name: 'a lane gets no turn any more when drain() has refused one',
    file: OPENINGS,
    find: 'lane.fail(error);\n    replaceGiver(lane);',
    replace: 'lane.fail(error);',
    tests: room('react-ended'),
    grep: 'a render that goes on',
  },
  {
    name: 'a started page ends in the middle if drain() refuses its priority',
    file: OPENINGS,
    find: "isInBackground ? 'user-visible' : PRIORITIES[lane.rank]",
    replace: 'PRIORITIES[lane.rank]',
    tests: room('react-ended'),
    grep: 'is completed if it begins during a drain',
  },
  {
    name: 'a section that was dropped never opens',
    file: 'integrations/react/gates.js',
    find: 'this.#isForgotten = wouldOpen;',
    replace: '',
    tests: room('react-ended'),
    grep: 'no further section in a turn',
  },
  {
    name: 'a gate does not look at its signal when React reads it',
    file: 'integrations/react/gates.js',
    find: 'this.fail(abortReason(signal));',
    replace: '',
    tests: room('react'),
    grep: 'that was aborted before',
  },
  {
    name: 'groups that have left count as waiting',
    file: LANES,
    find: 'ranks[this.rank].groups--;',
    replace: '',
    tests: GATE,
  },
  {
    name: 'the flow of a page is held for ever',
    file: GROUPS,
    find: 'this.flow?.endWait();',
    replace: '',
    tests: ['test/integrations/http/admission-keys.test.js'],
    grep: 'of a React page',
  },
  {
    name: 'the waits of sections do not count for their request',
    file: GROUPS,
    find: 'request.enter();',
    replace: '',
    tests: ['test/integrations/http/admission-running.test.js'],
    grep: 'raises a request',
  },
  {
    name: 'a section keeps its place when the priority of its signal changes',
    file: GROUPS,
    find: 'PRIORITIES[this.lane.rank] === priority',
    replace: 'this.lane.rank <= PRIORITIES.indexOf(priority)',
    tests: room('react'),
    grep: 'priority',
  },
  {
    name: 'the listeners of gates stay on their signal',
    file: GROUPS,
    find: 'this.#subscription?.end();',
    replace: '',
    tests: room('react'),
    grep: 'none afterwards',
  },
  {
    name: 'a section belongs to the task of its render, whatever its signal',
    file: 'integrations/react/options.js',
    find: 'flowOf(props.signal) ?? carried?.flow',
    replace: 'carried?.flow',
    tests: room('react-requests'),
  },
];
