'use strict';

// Shows the results of `npm run bench shop`: what it prints is bench/results/shop.md.

const { column, faultLines, fixed, markdownTable, nameColumn, percent } = require('../report');

const { NAMES } = require('./contenders');

const ofKind = (kind, key, format) =>
  ({ head: `${kind} ${key}`, value: ({ kinds }) => format(kinds[kind][key]) });

const COLUMNS = [
  nameColumn(),
  ...['cart', 'list', 'product'].flatMap((kind) => [
    ofKind(kind, 'served', percent), ofKind(kind, 'p50', fixed(0)), ofKind(kind, 'p99', fixed(0)),
  ]),
  column('CPU', 'cpu', fixed(1)),
];

const bytesLines = (bytes) => Object.entries(bytes).map(([contender, { plain, compressed }]) =>
  `- The list, ${NAMES[contender]}: ${plain} bytes, ${compressed} with gzip\n`).join('');

const markdown = ({ node, options, cells, bytes, faults }) => `# The shop

\`npm run bench shop -- --markdown bench/results/shop.md\`, Node ${node},
${new Date().toISOString().slice(0, 10)}: ${options.runs} runs of ${options.seconds} s for each row.

Visitors arrive at random, as a share of what the plain shop can serve: two in five ask for the
list, two in five for a product, one in five for the cart. They leave after 5 s. Times are in ms,
counted from when the visitor should have arrived; CPU is the processor time of the server in ms
for each answer. The index is rebuilt every two seconds.

${markdownTable(COLUMNS, cells)}
${bytesLines(bytes)}${faults.length > 0 ? `\n${faultLines(faults)}` : ''}`;

module.exports = { markdown };
