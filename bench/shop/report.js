'use strict';

// Shows the results of `npm run bench shop`, on the screen and as bench/results/shop.md.

const { faultLines, fixed, markdownTable, nameColumn, percent, table } = require('../report');

const { NAMES } = require('./contenders');

const whole = fixed(0);
const ofKind = (kind, head, key, format) =>
  ({ head: `${kind} ${head}`, value: ({ kinds }) => format(kinds[kind][key]) });

const COLUMNS = [
  nameColumn(),
  ...['cart', 'list', 'product'].flatMap((kind) => [
    ofKind(kind, 'served', 'share', percent),
    ofKind(kind, 'p50', 'p50', whole),
    ofKind(kind, 'p99', 'p99', whole),
  ]),
  { head: 'CPU', value: ({ cpu }) => fixed(1)(cpu) },
];

const bytesLines = (bytes) => Object.entries(bytes).map(([contender, { plain, compressed }]) =>
  `The list, ${NAMES[contender]}: ${plain} bytes, ${compressed} with gzip.\n`).join('');

function print({ node, cells, bytes, faults }) {
  process.stdout.write(`Node ${node}; times in ms, CPU in ms for each answer\n`
    + cells.map(({ title, rows }) => `${title}\n${table(COLUMNS, rows)}\n`).join('')
    + bytesLines(bytes) + faultLines(faults));
}

const markdown = ({ node, options, cells, bytes, faults }) => `# The shop

\`npm run bench shop -- --markdown bench/results/shop.md\`, Node ${node},
${new Date().toISOString().slice(0, 10)}: ${options.runs} runs of ${options.seconds} s for each row.

Visitors arrive at random, as a share of what the plain shop can serve: two in five ask for the
list, two in five for a product, one in five for the cart. They leave after 5 s. Times are in ms,
counted from when the visitor should have arrived; CPU is the processor time of the server in ms for
each answer. The index is rebuilt every two seconds.

${markdownTable(COLUMNS, cells)}
${bytesLines(bytes)}${faults.length > 0 ? `\n${faultLines(faults)}` : ''}`;

module.exports = { markdown, print };
