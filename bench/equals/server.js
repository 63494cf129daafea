'use strict';

// A server process. Its argument are its options: { contender, workload }.

const { readWaiting } = require('../processors');

const { createContender } = require('./contenders');

const commands = { read: () => ({ waiting: readWaiting() }) };

function main({ contender, workload }) {
  const server = createContender(contender, workload);
  process.on('message', ({ command }) => process.send({ result: commands[command]() }));
  server.listen(0, '127.0.0.1', () => {
    process.send({ url: `http://127.0.0.1:${server.address().port}` });
  });
}

// Ctrl+C reaches the whole process group; the parent ends its children in its own order.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

main(JSON.parse(process.argv[2]));
