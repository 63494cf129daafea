'use strict';

// The example on Next.js, with each way to serve a page, like those of examples.test.js; and the
// programs of it that `npm run bench frameworks` measures.
// @lane long

const { nodes } = require('../helpers/loop.js');
const { testPrograms } = require('../helpers/benchmark-programs.js');
const tests = require('../helpers/example-tests.js');
const examples = require('../../scripts/setup/examples.js');

const { SLOW, testClasses, testHostileClients, testLongPage, useServer } = tests;

const NODE = nodes.at(-1);

describe('the example next', () => {
  const env = { NEXT_TELEMETRY_DISABLED: '1' };
  const options = () => ({ args, env });
  const html = /1999-12.*<\/html>$/s;
  const csv = /\n2024-12,rug,\d+\n$/;
  // `next start` ends like this when it has sent what had begun.
  const exit = 143;

  let args;
  before(() => {
    args = [...examples.argumentsOf('next', 'start'), '--port', '0', '--keepAliveTimeout', '500'];
    examples.build('next', process.execPath);
  }).timeout(SLOW);

  testPrograms((program) => program.example === 'next', NODE);

  describe('with all of them', () => {
    const pages = ['/report', '/years', '/api/sales', '/orders.csv', '/health', 'POST /checkout'];
    const end = /1979-12.*<\/html>$/s;
    // Next.js catches it itself when a client leaves in the middle of a body.
    const ofFramework = /⨯ uncaughtException: {2}Error: aborted$/gm;
    // Pages that it has begun are rendered to their end, so they are short.
    const patience = 1000;
    const short = { MONTHS: '60', ORDERS: '800' };
    const current = useServer('next', () => ({ args, env: { ...env, ...short } }));
    // Its exit code is 0 once a client has asked for an upgrade.
    testHostileClients(current, { pages, end, patience, ofFramework });
  });

  // A long page of each way to serve one.
  const WAYS = {
    'server components': {
      page: '/report', end: html, hasClasses: false,
      left: /\/report: the visitor left; (\d+) of (\d+) months were rendered/,
    },
    // Next.js sends it when all of it is rendered.
    'a page of the pages router': {
      page: '/years', end: html, isStreamed: false,
      left: /\/years: the visitor left; (\d+) of (\d+) months were added up/,
    },
    'an API route': {
      page: '/api/sales', end: csv,
      left: /\/api\/sales: the client left; (\d+) of (\d+) months were exported/,
    },
    'a route handler': {
      page: '/orders.csv', end: csv,
      left: /\/orders\.csv: the client left; (\d+) of (\d+) months were exported/,
    },
  };
  for (const [title, { hasClasses = true, ...way }] of Object.entries(WAYS)) {
    describe(`with ${title}`, () => {
      const current = useServer('next', options);
      testLongPage(current, { exit, ...way });
      if (hasClasses) testClasses(current, way.page, way);
    });
  }
});
