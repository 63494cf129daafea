'use strict';

// Fastify, which parses the body of a request in one go.

const app = require('fastify')({ bodyLimit: 2 ** 26 });

app.post('/', (request) => `${request.body.length}`);

app.listen({ host: '127.0.0.1', port: 0 }).then(() => console.log(app.server.address().port));
process.once('SIGTERM', () => app.close());
