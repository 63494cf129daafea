'use strict';

// The part of all processes of a benchmark that have a server: they announce its address to the
// parent, and answer its commands. As a program it is the server process of an open loop. Its
// argument are its options then: the path of a module, and what its createContender() makes a
// server from.

const { serveParent } = require('./children');
const { cpuSince, readWaiting } = require('./processes');

// The options that the parent has given.
const readOptions = () => JSON.parse(process.argv[2]);

// Answers the commands of the parent, and ends with it.
const readCare = () => ({ waiting: readWaiting(), cpu: cpuSince() });

const answerParent = (commands = {}) => serveParent({ read: readCare, ...commands });

// Announces a server that listens.
function announce(server, commands) {
  // Connections stay open however long they wait: opening one anew takes a turn of the loop, and
  // one that the server closes at that moment fails a request.
  server.keepAliveTimeout = 0;
  // A contender may count the pages that it has rendered, and the time of its work.
  const read = () => ({ ...readCare(), rendered: server.rendered ?? 0, work: server.work });
  answerParent({ read, ...commands });
  process.send({ url: `http://127.0.0.1:${server.address().port}` });
}

const serve = (server, commands) =>
  server.listen(0, '127.0.0.1', () => announce(server, commands));

async function serveContender({ contenders, options }) {
  const server = await require(contenders).createContender(options);
  if (server.listening) announce(server);
  else serve(server);
}

if (require.main === module) serveContender(readOptions());

module.exports = { announce, answerParent, readOptions, serve };
