'use strict';

// The server process: serves the documentation site with one strategy, and measures its thread
// between two messages: documents indexed, time of background work, garbage collections.

const { startServer } = require('../../examples/docs-site/server');

const { createGarbageCount } = require('../garbage');
const { answerParent, readOptions } = require('../server');

const strategies = require('./strategies');

async function main(strategy) {
  const { site, index, url } = await startServer(strategy);
  const garbage = createGarbageCount();
  let current = null;
  let before = null;

  const commands = {
    /** Builds a complete index for all measurements. */
    buildIndex: () => index.start(),
    async begin({ background, width }) {
      await garbage.reset();
      current = background === 'index' ? index : null;
      before = {
        added: current?.added,
        busy: current?.busy,
        time: performance.now(),
        utilization: performance.eventLoopUtilization(),
      };
      current?.start({ again: true, width });
    },
    async end() {
      const result = {
        elapsed: performance.now() - before.time,
        indexed: current === null ? 0 : current.added - before.added,
        backgroundMs: current === null ? 0 : current.busy - before.busy,
        utilization: performance.eventLoopUtilization(before.utilization).utilization,
        garbage: await garbage.read(),
      };
      await current?.stop();
      return result;
    },
  };
  answerParent(commands);
  const sections = site.documents.reduce((sum, doc) => sum + doc.sections.length, 0);
  process.send({
    url,
    paths: site.documents.map((doc) => doc.url),
    bytes: site.bytes,
    sectionsPerPage: sections / site.documents.length,
  });
}

main(strategies[readOptions().strategy].create()).catch((error) => {
  console.error(error);
  process.exit(1);
});
