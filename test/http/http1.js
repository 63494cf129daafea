'use strict';

// Scenarios with responses of node:http. ../http.test.js runs them.

const http = require('node:http');
const { scheduler } = require('uv-scheduler');
const { taskController } = require('uv-scheduler/http');
const { MOMENT, Observed, ask, dial, message, serve, until, wait } = require('./observe.js');

// More than the buffers of a connection take.
const LARGE = Buffer.alloc(32 * 2 ** 20);

const ABORTED = 'AbortError (ECONNRESET), listeners: 3, 0';
const ANSWERED = 'not aborted, listeners: 3, 0';
const QUEUED_ABORTED = 'AbortError (ECONNRESET), listeners: 4, 0';

const strings = (all) => all.map(String);

// What becomes of a response whose client leaves once `handle` was called.
function left(text, handle = () => {}, options = {}) {
  let observed;
  return serve(
    async (request, response) => {
      await handle(request, response);
      observed = new Observed(response);
    },
    async (port) => {
      const client = dial(port, text, options);
      await until(() => observed !== undefined);
      await wait(MOMENT);
      const before = observed.aborts;
      client.destroy();
      await until(() => observed.isAborted);
      await wait(MOMENT);
      return [before, String(observed)];
    },
  );
}

// What becomes of a response that `handle` ends or destroys.
function handled(text, handle, options = {}) {
  let observed;
  return serve(
    async (request, response) => {
      observed = new Observed(response);
      await handle(request, response);
    },
    async (port, server) => {
      const client = dial(port, text, options);
      await until(() => observed !== undefined);
      await wait(MOMENT);
      client.destroy();
      const connections = () => new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      });
      while (await connections() > 0) await wait(1);
      await wait(MOMENT);
      return String(observed);
    },
  );
}

async function read(request) {
  for await (const chunk of request) void chunk;
}

const POST = message('POST', { headers: ['Content-Length: 2'], body: 'ab' });
const CUT_POST = message('POST', { headers: ['Content-Length: 20'], body: 'ab' });

module.exports = {
  'requests on a connection that is kept alive are not aborted when they are answered': {
    run: async () => {
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const observed = [];
      const sockets = new Set();
      const texts = await serve((request, response) => {
        sockets.add(request.socket);
        observed.push(new Observed(response));
        response.end('answer');
      }, async (port) => {
        const answers = [];
        for (let count = 0; count < 3; count++) answers.push(await ask(port, { agent }));
        await wait(MOMENT);
        return answers;
      });
      agent.destroy();
      return [texts, sockets.size, strings(observed)];
    },
    expected: [Array(3).fill('answer'), 1, Array(3).fill(ANSWERED)],
  },

  'a client that leaves before anything was written aborts': {
    run: () => left(message()),
    expected: [0, ABORTED],
  },

  'a client that leaves in the middle of the response aborts': {
    run: () => left(message(), (request, response) => response.write('a part')),
    expected: [0, ABORTED],
  },

  'a client that leaves in the middle of a response that it does not read aborts': {
    run: () => left(message(), (_, response) => response.write(LARGE), { isDeaf: true }),
    expected: [0, ABORTED],
  },

  'a client that sends its end aborts': {
    run: async () => {
      let observed;
      return serve((_, response) => (observed = new Observed(response)), async (port) => {
        const client = dial(port, message());
        await until(() => observed !== undefined);
        client.end();
        await until(() => observed.isAborted);
        return String(observed);
      });
    },
    expected: ABORTED,
  },

  'a client that leaves behind the end of the response does not abort': {
    run: () => handled(message(), (request, response) => response.end('answer')),
    expected: ANSWERED,
  },

  'a client that leaves before it has all of an ended response does not abort': {
    run: () => handled(message(), (_, response) => response.end(LARGE), { isDeaf: true }),
    expected: ANSWERED,
  },

  'a server that destroys the response aborts': {
    run: () => handled(message(), (request, response) => response.destroy()),
    expected: ABORTED,
  },

  'a server that closes its connections aborts': {
    run: async () => {
      let observed;
      return serve((_, response) => (observed = new Observed(response)), async (port, server) => {
        dial(port, message());
        await until(() => observed !== undefined);
        server.closeAllConnections();
        await until(() => observed.isAborted);
        return String(observed);
      });
    },
    expected: ABORTED,
  },

  'a response that was destroyed is aborted at once': {
    run: () => {
      let observed;
      return serve((request, response) => {
        response.destroy();
        observed = new Observed(response);
      }, async (port) => {
        dial(port, message());
        await until(() => observed !== undefined);
        await wait(MOMENT);
        return String(observed);
      });
    },
    expected: 'AbortError (ECONNRESET), listeners: 0, 0',
  },

  'a response whose client has left is aborted at once': {
    run: () => {
      let observed;
      return serve((request, response) => {
        response.on('close', () => (observed = new Observed(response)));
      }, async (port) => {
        const client = dial(port, message());
        await wait(MOMENT);
        client.destroy();
        await until(() => observed !== undefined);
        return String(observed);
      });
    },
    expected: 'AbortError (ECONNRESET), listeners: 0, 0',
  },

  'a response that was ended is never aborted': {
    run: async () => {
      let observed;
      return serve((request, response) => {
        response.end(LARGE);
        observed = new Observed(response);
      }, async (port) => {
        const client = dial(port, message(), { isDeaf: true });
        await until(() => observed !== undefined);
        client.destroy();
        await wait(MOMENT);
        return String(observed);
      });
    },
    expected: 'not aborted, listeners: 0, 0',
  },

  'a POST whose body was read is aborted when its client leaves, and not before': {
    run: () => left(POST, read),
    expected: [0, ABORTED],
  },

  'a POST whose body was read is not aborted when it is answered': {
    run: () => handled(POST, async (request, response) => {
      await read(request);
      await wait(MOMENT);
      response.end('answer');
    }),
    expected: ANSWERED,
  },

  'a POST that is cut off aborts': {
    run: () => left(CUT_POST),
    expected: [0, ABORTED],
  },

  'a HEAD request is aborted when its client leaves': {
    run: () => left(message('HEAD')),
    expected: [0, ABORTED],
  },

  'a HEAD request is not aborted when it is answered': {
    run: () => handled(message('HEAD'), (request, response) => response.end('no body')),
    expected: ANSWERED,
  },

  'a request for an upgrade that nobody takes is aborted when its client leaves': {
    run: () => left(message('GET', { headers: ['Connection: Upgrade', 'Upgrade: a'] })),
    expected: [0, ABORTED],
  },

  'the socket of an upgrade or of CONNECT is refused, and so is a request': {
    run: async () => {
      const said = [];
      const refuse = (value) => {
        try {
          taskController(value);
        } catch (error) {
          said.push(`${error.code} ${error.message.replace(/^.*, but received /, '')}`);
        }
      };
      const handle = (request, socket) => {
        refuse(socket);
        refuse(request);
        socket.destroy();
      };
      return serve(() => {}, async (port, server) => {
        server.on('upgrade', handle).on('connect', handle);
        const headers = ['Connection: Upgrade', 'Upgrade: a'];
        dial(port, message('GET', { headers }));
        await until(() => said.length === 2);
        dial(port, message('CONNECT', { path: 'a:1' }));
        await until(() => said.length === 4);
        return said;
      });
    },
    expected: Array(2).fill(['Socket', 'IncomingMessage']).flat().map((name) => {
      return `ERR_INVALID_ARG_TYPE an object of class ${name}.`;
    }),
  },

  'pipelined requests are all aborted when their client leaves, whether they were read or not': {
    run: () => {
      const observed = [];
      return serve(async (request, response) => {
        if (request.url === '/read') {
          await read(request);
          await wait(MOMENT);
        }
        observed.push(new Observed(response));
      }, async (port) => {
        const paths = ['/', '/', '/read', '/read'];
        const client = dial(port, paths.map((path) => message('GET', { path })).join(''));
        await until(() => observed.length === 4);
        client.destroy();
        await until(() => observed.every(({ isAborted }) => isAborted));
        await wait(MOMENT);
        return strings(observed);
      });
    },
    // Those that wait for the first share one listener on their socket.
    expected: [ABORTED, QUEUED_ABORTED, ABORTED, ABORTED],
  },

  'pipelined requests are not aborted when they are answered': {
    run: () => {
      const observed = [];
      const responses = [];
      return serve((request, response) => {
        observed.push(new Observed(response));
        responses.push(response);
      }, async (port) => {
        const client = dial(port, message().repeat(3));
        await until(() => responses.length === 3);
        // Out of order: the last two wait for the first.
        for (const response of responses.reverse()) response.end('answer');
        await until(() => responses.every(({ writableFinished }) => writableFinished));
        await wait(MOMENT);
        const left = strings(observed);
        client.destroy();
        await wait(MOMENT);
        return [left, observed.every(({ isAborted }) => !isAborted)];
      });
    },
    expected: [[ANSWERED, 'not aborted, listeners: 4, 0', ANSWERED], true],
  },

  'a pipelined response that was ended is not aborted when its client leaves before its turn': {
    run: () => {
      const observed = [];
      return serve((request, response) => {
        observed.push(new Observed(response));
        if (observed.length === 2) response.end('answer');
      }, async (port) => {
        const client = dial(port, message().repeat(2));
        await until(() => observed.length === 2);
        client.destroy();
        await until(() => observed[0].isAborted);
        await wait(MOMENT);
        return strings(observed);
      });
    },
    expected: [ABORTED, 'not aborted, listeners: 4, 0'],
  },

  'a pipelined response whose client has left is aborted at once': {
    run: () => {
      const responses = [];
      return serve(async (request, response) => {
        responses.push(response);
        await read(request);
      }, async (port) => {
        const client = dial(port, message().repeat(2));
        await until(() => responses.length === 2);
        const { socket } = responses[0];
        client.destroy();
        await until(() => socket.destroyed);
        await wait(MOMENT);
        return String(new Observed(responses[1]));
      });
    },
    expected: 'AbortError (ECONNRESET), listeners: 0, 0',
  },

  'a hundred pipelined requests add one listener to their socket': {
    run: () => {
      const observed = [];
      return serve((request, response) => observed.push(new Observed(response)), async (port) => {
        const client = dial(port, message().repeat(100));
        await until(() => observed.length === 100);
        client.destroy();
        await until(() => observed.every(({ isAborted }) => isAborted));
        return [...new Set(strings(observed))];
      });
    },
    expected: [ABORTED, QUEUED_ABORTED],
  },

  'two controllers of one response are both aborted': {
    run: () => {
      const observed = [];
      return serve((request, response) => {
        for (let count = 0; count < 2; count++) observed.push(new Observed(response));
      }, async (port) => {
        const client = dial(port, message());
        await until(() => observed.length === 2);
        client.destroy();
        await until(() => observed.every(({ isAborted }) => isAborted));
        return strings(observed);
      });
    },
    expected: [ABORTED, ABORTED],
  },

  'tasks with the signal end when the client leaves, with the signal’s reason': {
    run: () => {
      let turns = 0;
      let outcome;
      let afterwards;
      return serve((request, response) => {
        const { signal } = taskController(response, { priority: 'background' });
        const task = scheduler.postTask(async () => {
          for (;;) {
            turns++;
            await scheduler.yield();
          }
        }, { signal });
        task.catch((reason) => {
          outcome = reason === signal.reason;
          afterwards = turns;
        });
      }, async (port) => {
        const client = dial(port, message());
        await until(() => turns > 10);
        client.destroy();
        await until(() => outcome !== undefined);
        await wait(MOMENT);
        return [outcome, turns - afterwards];
      });
    },
    expected: [true, 0],
  },

  'nothing refers to the controller of a response that was ended': {
    flags: ['--expose-gc'],
    run: () => {
      const responses = [];
      let controller;
      return serve((request, response) => {
        responses.push(response);
        controller = new WeakRef(taskController(response));
        response.end('answer');
      }, async (port) => {
        await ask(port);
        await until(() => {
          global.gc();
          return controller.deref() === undefined;
        });
        return responses.length;
      });
    },
    expected: 1,
  },
};
