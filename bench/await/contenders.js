'use strict';

// The servers that are compared: all do the same work for a request, most of it behind the `await`
// of a query, in whatever callback that goes on.

const http = require('node:http');
const { setTimeout: sleep } = require('node:timers/promises');
const { spin } = require('../harness/spin');
const { REFUSE_AFTER } = require('../overload/contenders');
const { classOf } = require('../overload/visitors');

// By name: the title, and the function.
const WORKS = {
  query: {
    title: 'a query of 5 ms, then 5 ms of work',
    async run() {
      await sleep(5);
      spin(5);
    },
  },
  slow: {
    title: 'a query of 50 ms, then 5 ms of work',
    async run() {
      await sleep(50);
      spin(5);
    },
  },
  varied: {
    title: 'a query of 5 ms, then 1 ms of work, and 30 more for one in five',
    async run(number) {
      await sleep(5);
      spin(number % 5 === 0 ? 31 : 1);
    },
  },
  first: {
    title: '5 ms of work, then a query of 5 ms',
    async run() {
      spin(5);
      await sleep(5);
    },
  },
  pieces: {
    title: 'a query of 5 ms, then 5 ms of work in pieces',
    async run(number, { currentTaskSignal, pieces }) {
      await sleep(5);
      const signal = currentTaskSignal();
      for await (const ms of pieces(new Array(20).fill(0.25), { signal })) spin(ms);
    },
  },
  pool: {
    title: 'a query of 20 ms in a pool of 5 connections, without other work',
    async run(number, api, pool) {
      await pool.take();
      await sleep(20);
      pool.give();
    },
  },
};

const createPool = (free, waiting = []) => ({
  take: () => (free > 0 ? void free-- : new Promise((resolve) => waiting.push(resolve))),
  give: () => (waiting.length > 0 ? waiting.shift()() : void free++),
});

// The path of a page without a query and work.
const EMPTY = '/empty';

// By name: the title, and the function that makes a server that does not listen yet, with a
// listener, behind an admission if there is one.
const SERVERS = {
  http: {
    title: 'node:http',
    create: (listener, admission) => http.createServer(admission?.handler(listener) ?? listener),
  },
  express: {
    title: 'Express',
    create(listener, admission) {
      const app = require('express')();
      if (admission !== undefined) app.use(admission.middleware);
      return http.createServer(app.use(listener));
    },
  },
  fastify: {
    title: 'Fastify',
    async create(listener, admission) {
      const app = require('fastify')({ keepAliveTimeout: 0 });
      if (admission !== undefined) {
        app.addHook('onRequest', (request, reply, done) => {
          admission.admit(request.raw, reply.raw, done).catch(done);
        });
      }
      app.get('/:name', (request, reply) => {
        reply.hijack();
        return listener(request.raw, reply.raw);
      });
      await app.ready();
      return app.server;
    },
  },
};

// Resolves to a server that does not listen yet. `root` is the path of the package; with
// `maxRunning` an admission has a fixed bound.
async function createContender({ work, server: kind, root, isAdmission, maxRunning }) {
  const api = require(root);
  const { createAdmission } = require(`${root}/dist/http.js`);
  const pool = createPool(5);
  const { run } = WORKS[work];
  let number = 0;
  const listener = async (request, response) => {
    try {
      if (request.url !== EMPTY) {
        await run(number++, api, pool);
        server.rendered++;
      }
      response.end('<p>A page</p>\n');
    } catch (error) {
      // The visitor has left.
      if (error.name !== 'AbortError') throw error;
    }
  };
  const admission = isAdmission ? createAdmission({
    classify: ({ url }) => classOf(url.slice(1))?.priority,
    refuseAfter: REFUSE_AFTER,
    ...maxRunning === undefined ? {} : { maxRunning },
  }) : undefined;
  const server = await SERVERS[kind].create(listener, admission);
  server.rendered = 0;
  return server;
}

module.exports = { EMPTY, SERVERS, WORKS, createContender };
