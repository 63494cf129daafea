'use strict';

// Defines the goals of pages of one priority, and checks whether the results meet them.

const OWN = ['shouldYield', 'pieces'];
const PEER = 'immediate';
const FIGURES = ['p50', 'p90', 'p99'];

const ms = (value) => `${value.toFixed(1)} ms`;

/** Returns a list of { scope, text, met, details }. */
function judge(cells) {
  return cells.flatMap(({ title: scope, kinds: [judged], rows }) => {
    const peer = rows.find(({ contender }) => contender === PEER);
    const own = rows.filter(({ contender }) => OWN.includes(contender));
    if (peer === undefined) return [];
    return own.flatMap(({ name, kinds }) => FIGURES.map((figure) => {
      const [value, most] = [kinds, peer.kinds].map((each) => each[judged][figure]);
      return {
        scope,
        text: `${name}: ${figure} of ${judged} pages at most that of ${peer.name}`,
        met: value <= most,
        details: [`${ms(value)} against ${ms(most)}`],
      };
    }));
  });
}

module.exports = { judge };
