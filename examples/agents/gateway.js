// The gateway: people's turns over HTTP, as server-sent events, and over WebSockets; and its tool
// server. Owns what is refused, when a visitor has left, and the order in which all of it ends.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseChunked } from '@discoveryjs/json-ext';
import { WebSocketServer } from 'ws';
import {
  configure, controllerFor, createAdmission, drain, isPlain, pieces, scheduler, shutDown,
} from './scheduling.js';
import { Session } from './session.js';
import { counts } from './stand-ins.js';
import { keyOf, tenantOf, weightOf } from './tenants.js';
import { answerMcp, connectTools, isInner } from './tools.js';

const LARGEST_BODY = 8 * 2 ** 20;
const LARGEST_MESSAGE = 64 * 2 ** 10;
// The turns of a session that wait or are under way.
const MOST_TURNS = 16;
// The most bytes that wait in a socket whose visitor does not read.
const UNREAD = 2 ** 20;

// Until the turns under way are ended, and then until sockets that do not close are cut off, in ms.
const TIMEOUT = Number(process.env.END_TIMEOUT ?? 10_000);
// So long a request waits before it is refused, in ms; without it, as its admission chooses.
const REFUSE_AFTER = process.env.REFUSE_AFTER && Number(process.env.REFUSE_AFTER);
const CLOSING = 1000;

// Beside callbacks of libraries that take so many ms and recur without a pause, all user-visible
// tasks together have one time slice in a turn of the loop. With 5 ms, that would be a fifth of the
// thread. Where no callback keeps the loop busy, user-visible tasks still give way at once to ready
// I/O and due timers.
const TIME_SLICE = 20;

class BadRequest extends Error {}

async function* limited(req) {
  let length = 0;
  // The answer needs the connection.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > LARGEST_BODY) throw new BadRequest();
    yield chunk;
  }
}

// A context of megabytes is parsed chunk by chunk: JSON.parse() is one function, and cannot be cut.
async function readBody(req, signal) {
  try {
    return await parseChunked(pieces(limited(req), { signal }));
  } catch (error) {
    throw error instanceof SyntaxError ? new BadRequest() : error;
  }
}

async function sendTurn(res, turn, signal) {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for await (const token of turn) {
    const hasRoom = res.write(`data: ${JSON.stringify({ token })}\n\n`);
    if (!hasRoom) await once(res, 'drain', { signal });
  }
  res.end('data: {"done":true}\n\n');
}

// The page /scheduler. Where this folder is copied to, it is copied, too.
async function createPage(admission) {
  if (isPlain) return { routes: new Map(), end() {} };
  const { default: page } = await import('../docs-site/scheduler-page.cjs');
  return page.createSchedulerPage(admission);
}

export async function createGateway() {
  configure({ timeSlice: TIME_SLICE });
  let isEnding = false;
  let tools;

  async function answer(req, res) {
    const tenant = isInner(req) ? undefined : tenantOf(req);
    // Ends the turn, its tools and its stream when the visitor leaves.
    const { signal } = controllerFor(res);
    try {
      const body = req.method === 'POST' ? await readBody(req, signal) : undefined;
      if (req.url === '/mcp') return await answerMcp(req, res, { body, tenant });
      const { prompt, context = [] } = body ?? {};
      if (!Array.isArray(context)) throw new BadRequest();
      const session = new Session({ tenant, signal, tools, context });
      await sendTurn(res, session.answer(`${prompt}`, { signal }), signal);
    } catch (error) {
      if (signal.aborted || res.destroyed) return;
      if (res.headersSent) return res.destroy(error);
      res.writeHead(error instanceof BadRequest ? 400 : 500, { connection: 'close' }).end();
    }
  }

  const admission = createAdmission({
    fairnessKey: tenantOf, fairnessWeight: weightOf, refuseAfter: { 'user-visible': REFUSE_AFTER },
  });
  const admitted = admission.handler(answer);
  const page = await createPage(admission);

  const server = createServer((req, res) => {
    const { method, url } = req;
    if (page.routes.has(url)) return page.routes.get(url)(req, res);
    // In front of the admission: a turn that has begun needs its tools. An admission would refuse
    // them in an overload.
    if (isInner(req)) return answer(req, res);
    if (url === '/health') return res.end(JSON.stringify(counts));
    if (isEnding) return res.writeHead(503, { connection: 'close', 'retry-after': '5' }).end();
    if (url !== '/mcp' && `${method} ${url}` !== 'POST /chat') return res.writeHead(404).end();
    admitted(req, res);
  });

  const sockets = new WebSocketServer({ server, path: '/session', maxPayload: LARGEST_MESSAGE });

  // Sessions over WebSockets last, so their contexts are compacted between two turns.
  sockets.on('connection', (socket, req) => {
    const tenant = tenantOf(req);
    const closed = new AbortController();
    const session = new Session({ tenant, signal: closed.signal, tools });
    const turns = new Map();
    let last;
    counts.sockets++;

    async function takeTurn(id, prompt, signal) {
      for await (const token of session.answer(prompt, { signal })) {
        const sent = new Promise((resolve) => socket.send(JSON.stringify({ id, token }), resolve));
        if (socket.bufferedAmount > UNREAD) await sent;
      }
      socket.send(JSON.stringify({ id, done: true }));
    }

    function receive({ id, prompt, cancel }) {
      if (cancel !== undefined) return turns.get(cancel)?.abort();
      if (isEnding) return socket.close(1001);
      if (turns.size >= MOST_TURNS) return socket.close(1013);
      // One for each message: its tasks are one request. It is aborted with the session, or alone.
      const controller = controllerFor(AbortSignal.any([closed.signal]), keyOf(tenant));
      const { signal } = controller;
      turns.set(id, controller);
      const turn = () => takeTurn(id, `${prompt}`, signal);
      const start = () => scheduler.postTask(turn, { signal });
      // A turn needs the answer of the one before.
      last = Promise.resolve(last).then(start).catch((error) => {
        if (closed.signal.aborted) return;
        if (signal.aborted) socket.send(JSON.stringify({ id, cancelled: true }));
        else socket.close(1011, error.name);
      }).finally(() => {
        turns.delete(id);
        if (!closed.signal.aborted) session.compactLater();
      });
    }

    socket.on('message', (data) => {
      try {
        receive(JSON.parse(data));
      } catch {
        socket.close(1007);
      }
    });
    // 'close' follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      counts.sockets--;
      closed.abort();
    });
  });

  return {
    server,
    async listen(port) {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${server.address().port}/`;
      tools = await connectTools(url);
      return { url, tools };
    },
    // The turns under way end first, as they call tools of this very server: shutDown() takes no
    // connection any more. Then what only waits is closed, for which shutDown() would wait.
    async end() {
      isEnding = true;
      await drain({ timeout: TIMEOUT });
      await tools.close();
      page.end();
      for (const socket of sockets.clients) {
        socket.close(1001);
        setTimeout(() => socket.terminate(), CLOSING).unref();
      }
      return shutDown(server, { timeout: 2 * CLOSING });
    },
  };
}
