'use strict';

// Mutants of integrations/react/: the turns of sections.

const { mutantsOf } = require('./mutants-of.js');

const GROUPS = 'integrations/react/groups.js';
const OPENINGS = 'integrations/react/openings.js';

const room = (name) => [`test/integrations/react/${name}.test.js`];

module.exports = [
  ...mutantsOf(OPENINGS, { tests: room('react') }, [
    ['all sections that React reaches in a turn are rendered in it',
      'if (!this.#hasRoom(gate)) return false;', '', 'behind short ones'],
  ]),
  ...mutantsOf(OPENINGS, { tests: room('react-data') }, [
    ['a section stays open behind its turn', 'for (const gate of this.#opened) gate.close();', ''],
  ]),
  ...mutantsOf('integrations/react/rendering.js', { tests: room('react-data') }, [
    ['all sections whose data arrives in a turn are rendered in one', 'now() - begin <= SLICE',
      'true', 'one by one'],
  ]),
  ...mutantsOf('integrations/react/rendering.js', { tests: room('react-requests') }, [
    ['the rendering of a section counts as work outside of tasks',
      '  internal.taskWatch?.beginOutside(gate, LABEL, priorityOf(gate));', ''],
  ]),
  ...mutantsOf('integrations/react/questions.js', { tests: room('react-ended') }, [
    ['renders that are over are looked for once only', 'isAskingAll = false;\n}', '}',
      'keeps its sections from a turn'],
  ]),
  ...mutantsOf(OPENINGS, { tests: room('react-ended') }, [
    ['further sections open beside one of a higher priority that waits',
      'if (rank < this.#rank) this.#isOutranked = true;', '', 'no further section in a turn'],
    ['renders that are over are found one by one',
      'else if (this.#opened.length === 0) width = Math.min(2 * width, MOST_ASKED);', '',
      'is found soon'],
    ['as many renders are asked for each section as once were over',
      'width = Math.max(1, width >> 1);', ';', 'is found soon'],
    ['a lane gets no turn any more when drain() has refused one',
      'lane.fail(error);\n    replaceGiver(lane);', 'lane.fail(error);', 'a render that goes on'],
    ['a started page ends in the middle if drain() refuses its priority',
      "isInBackground ? 'user-visible' : PRIORITIES[lane.rank]", 'PRIORITIES[lane.rank]',
      'is completed if it begins during a drain'],
  ]),
  ...mutantsOf('integrations/react/gates.js', { tests: room('react-ended') }, [
    ['a section that was dropped never opens', 'this.#isForgotten = wouldOpen;', '',
      'no further section in a turn'],
  ]),
  ...mutantsOf('integrations/react/gates.js', { tests: room('react') }, [
    ['a gate does not look at its signal when React reads it', 'this.fail(abortReason(signal));',
      '', 'that was aborted before'],
  ]),
  ...mutantsOf(GROUPS, { tests: ['test/integrations/http/admission-keys.test.js'] }, [
    ['the flow of a page is held for ever', 'this.flow?.endWait();', '', 'of a React page'],
  ]),
  ...mutantsOf(GROUPS, { tests: ['test/integrations/http/admission-running.test.js'] }, [
    ['the waits of sections do not count for their request', 'request.enter();', '',
      'raises a request'],
  ]),
  ...mutantsOf(GROUPS, { tests: room('react') }, [
    ['a section keeps its place when the priority of its signal changes',
      'PRIORITIES[this.lane.rank] === priority', 'this.lane.rank <= PRIORITIES.indexOf(priority)',
      'priority'],
    ['the listeners of gates stay on their signal', 'this.#subscription?.end();', '',
      'none afterwards'],
  ]),
  ...mutantsOf('integrations/react/options.js', { tests: room('react-requests') }, [
    ['a section belongs to the task of its render, whatever its signal',
      'flowOf(props.signal) ?? carried?.flow', 'carried?.flow'],
  ]),
];
