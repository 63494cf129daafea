'use strict';

// The server process: serves the documentation site with one strategy, and measures its background
// work between two messages.

const { startServer } = require('../../examples/docs-site/server');
const { collect } = require('../harness/processes');
const { answerParent, readOptions } = require('../harness/server');
const strategies = require('./strategies');

async function main({ strategy, mayAbort }) {
  const { site, index, server, url } =
    await startServer({ strategy: strategies[strategy], mayAbort });
  server.keepAliveTimeout = 0;
  let before = null;

  answerParent({
    // Builds a complete index for all measurements.
    buildIndex: () => index.start(),
    begin({ isIndex, width }) {
      collect();
      before = { busy: index.busy, added: index.added, time: performance.now() };
      if (isIndex) index.start({ again: true, width });
    },
    async end() {
      const result = {
        elapsed: performance.now() - before.time,
        backgroundMs: index.busy - before.busy,
        documents: index.added - before.added,
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

main(readOptions()).catch((error) => {
  console.error(error);
  process.exit(1);
});
