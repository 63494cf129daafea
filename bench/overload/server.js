'use strict';

// A server process. Its argument are its options: { contender, isHttp2 }.

const { readWaiting } = require('../processors');

const { createContender } = require('./contenders');
const { piecesOfPage, render } = require('./work');

const commands = { read: () => ({ waiting: readWaiting() }) };

async function main({ contender, isHttp2 }) {
  const server = await createContender(contender, { render, piecesOfPage, isHttp2 });
  process.on('message', ({ command }) => process.send({ result: commands[command]() }));
  server.listen(0, '127.0.0.1', () => {
    process.send({ url: `http://127.0.0.1:${server.address().port}` });
  });
}

// Ctrl+C reaches the whole process group; the parent ends its children in its own order.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());

main(JSON.parse(process.argv[2]));
