'use strict';

// Scenarios with responses of node:http2's compatibility API. ../http.test.js runs them.

const http2 = require('node:http2');
const { taskController } = require('uv-scheduler/http');
const { MOMENT, Observed, request2, serve2, until, wait } = require('./observe.js');

const { NGHTTP2_CANCEL } = http2.constants;

// More than the window of a stream takes.
const LARGE = Buffer.alloc(2 ** 20);

const ABORTED = 'AbortError (ECONNRESET), listeners: 3, 0';
const ANSWERED = 'not aborted, listeners: 3, 0';

const METHODS = ['GET', 'HEAD', 'POST'];

const bodyOf = (method) => (method === 'POST' ? 'a body' : undefined);

const cancel = (stream) => stream.close(NGHTTP2_CANCEL);

async function read(request) {
  for await (const chunk of request) void chunk;
}

// What becomes of a response to each method: `handle` gets request and response behind the call,
// `leave` the client's stream and session once the server has handled it.
async function each(handle, leave, methods = METHODS) {
  const results = [];
  for (const method of methods) {
    let observed;
    let isHandled = false;
    await serve2(async (request, response) => {
      observed = new Observed(response);
      await handle(request, response);
      isHandled = true;
    }, async (session) => {
      const stream = request2(session, { ':method': method }, bodyOf(method));
      await until(() => isHandled);
      await wait(MOMENT);
      const before = observed.aborts;
      await leave(stream, session, observed);
      await until(() => stream.destroyed);
      await wait(MOMENT);
      results.push(before === 0 ? String(observed) : 'aborted too early');
    });
  }
  return results;
}

const aborted = (observed) => until(() => observed.isAborted);

module.exports = {
  'a cancelled stream aborts, though it counts as finished': {
    run: async () => {
      const responses = [];
      const leave = (stream, _, observed) => {
        cancel(stream);
        return aborted(observed);
      };
      const results = await each((_, response) => responses.push(response), leave);
      return [results, responses.map(({ stream }) => stream.writableFinished)];
    },
    expected: [Array(3).fill(ABORTED), Array(3).fill(true)],
  },

  'a stream that is cancelled in the middle of the response aborts': {
    run: () => each((_, response) => response.write('a part'), (stream, _, observed) => {
      cancel(stream);
      return aborted(observed);
    }, ['GET', 'POST']),
    expected: [ABORTED, ABORTED],
  },

  'a stream whose request was read aborts when it is cancelled, and not before': {
    run: () => each(read, (stream, _, observed) => {
      cancel(stream);
      return aborted(observed);
    }),
    expected: Array(3).fill(ABORTED),
  },

  'a session that the client destroys aborts': {
    run: () => each(() => {}, (stream, session, observed) => {
      session.destroy();
      return aborted(observed);
    }),
    expected: Array(3).fill(ABORTED),
  },

  'a server that closes the stream, or destroys the response or the session, aborts': {
    run: async () => {
      const ends = [
        (response) => response.stream.close(NGHTTP2_CANCEL),
        (response) => response.destroy(),
        (response) => response.stream.session.destroy(),
      ];
      const results = [];
      for (const end of ends) {
        let given;
        const leave = (_stream, _session, observed) => {
          end(given);
          return aborted(observed);
        };
        results.push(await each((_, response) => (given = response), leave, ['GET']));
      }
      return results.flat();
    },
    expected: Array(3).fill(ABORTED),
  },

  'a response that is answered is not aborted': {
    run: () => each((_, response) => response.end('answer'), (stream) => stream.resume()),
    expected: Array(3).fill(ANSWERED),
  },

  'a stream that is cancelled before the client has all of an ended response does not abort': {
    run: () => each((_, response) => response.end(LARGE), cancel, ['GET', 'POST']),
    expected: [ANSWERED, ANSWERED],
  },

  'a response that was cancelled is aborted at once': {
    run: async () => {
      const results = [];
      for (const method of METHODS) {
        let given;
        results.push(await serve2((_, response) => (given = response), async (session) => {
          const stream = request2(session, { ':method': method }, bodyOf(method));
          await until(() => given !== undefined);
          cancel(stream);
          await until(() => given.stream.destroyed);
          return String(new Observed(given));
        }));
      }
      return results;
    },
    expected: Array(3).fill('AbortError (ECONNRESET), listeners: 0, 0'),
  },

  'a response that was ended is never aborted': {
    run: () => {
      let observed;
      return serve2((_, response) => {
        response.end(LARGE);
        observed = new Observed(response);
      }, async (session) => {
        const stream = request2(session);
        await until(() => observed !== undefined);
        cancel(stream);
        await until(() => stream.destroyed);
        await wait(MOMENT);
        return String(observed);
      });
    },
    expected: 'not aborted, listeners: 0, 0',
  },

  'only the cancelled streams of a session are aborted': {
    run: () => {
      const responses = new Map();
      const all = new Map();
      return serve2((request, response) => {
        responses.set(request.url, response);
        all.set(request.url, new Observed(response));
      }, async (session) => {
        const streams = ['/0', '/1', '/2'].map((path) => request2(session, { ':path': path }));
        await until(() => all.size === 3);
        cancel(streams[1]);
        await aborted(all.get('/1'));
        for (const path of ['/0', '/2']) responses.get(path).end('answer');
        for (const stream of streams) stream.resume();
        await until(() => streams.every(({ destroyed }) => destroyed));
        await wait(MOMENT);
        return ['/0', '/1', '/2'].map((path) => String(all.get(path)));
      });
    },
    expected: [ANSWERED, ABORTED, ANSWERED],
  },

  'a stream of the core API is refused': {
    run: () => {
      let said;
      return serve2(undefined, async (session, server) => {
        server.on('stream', (stream) => {
          try {
            taskController(stream);
          } catch (error) {
            said = [error.code, error.message.replace(/^.*, but received /, '')];
          }
          stream.end();
        });
        request2(session).resume();
        await until(() => said !== undefined);
        return said;
      });
    },
    expected: ['ERR_INVALID_ARG_TYPE', 'an object of class ServerHttp2Stream.'],
  },
};
