'use strict';

// Starts the server of a program, and says where it listens: to the benchmark by a message, to
// others by a line.

const http = require('node:http');

function announce(server) {
  const url = `http://127.0.0.1:${server.address().port}`;
  // Connections stay open however long they wait.
  server.keepAliveTimeout = 0;
  if (process.send) {
    // The parent ends its children in its own order.
    process.on('SIGINT', () => {});
    process.on('disconnect', () => process.exit());
    process.send({ url });
  } else {
    console.log(`${url}/page`);
  }
}

function listen(server) {
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => announce(server));
}

// For programs that need no framework for their routes: `sendPage(response)` answers /page.
function serve(sendPage) {
  listen(http.createServer((request, response) => {
    if (request.url === '/health') return response.end('ok\n');
    if (request.url !== '/page') return response.writeHead(404).end();
    Promise.resolve(sendPage(response)).catch((error) => {
      // The visitor may have left.
      if (!response.destroyed) console.error(error);
      response.destroy();
    });
  }));
}

module.exports = { announce, listen, serve };
