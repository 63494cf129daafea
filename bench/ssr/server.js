'use strict';

// The server process: serves the documentation site with one strategy, and measures its thread
// between two messages: the time of background work.

const { startServer } = require('../../examples/docs-site/server');
const strategies = require('../../examples/docs-site/strategies');
const { collect } = require('../harness/processes');
const { answerParent, readOptions } = require('../harness/server');

async function main(strategy) {
  const { site, index, url } = await startServer(strategy);
  let before = null;

  answerParent({
    // Builds a complete index for all measurements.
    buildIndex: () => index.start(),
    begin({ isIndex, width }) {
      collect();
      before = { busy: index.busy, time: performance.now() };
      if (isIndex) index.start({ again: true, width });
    },
    async end() {
      const result = {
        elapsed: performance.now() - before.time,
        backgroundMs: index.busy - before.busy,
      };
      await index.stop();
      return result;
    },
  });
  const sections = site.documents.reduce((sum, { sections: { length } }) => sum + length, 0);
  process.send({
    url,
    paths: site.documents.map((doc) => doc.url),
    bytes: site.bytes,
    sectionsPerPage: sections / site.documents.length,
  });
}

main(strategies[readOptions().strategy]).catch((error) => {
  console.error(error);
  process.exit(1);
});
