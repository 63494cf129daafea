// The tool server: MCP over HTTP, by its SDK. Owns its sessions, and the client by which the turns
// of this process call it as others do. A call ends when its caller cancels it or leaves.

import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';
import { controllerFor, pieces, scheduler } from './scheduling.js';
import { compute, counts } from './stand-ins.js';
import { callOf, keyOf } from './tenants.js';

// A session of others that is not used for so long ends, with its calls, in ms.
const IDLE = 60_000;
// So long a document takes, in ms.
const DOCUMENT = 0.25;

// Only this process knows it.
const INNER = randomUUID();

export const isInner = (req) => req.headers['x-inner'] === INNER;

async function search({ words, documents }, signal) {
  for await (const document of pieces(Array(documents).keys(), { signal })) {
    compute(DOCUMENT);
    if (document === documents - 1) return `document ${document} is about ${words}`;
  }
}

// A call is a request of its own, with the key of its caller: a long one delays no other tenant.
async function callTool(tool, args, { authInfo, requestId, signal: cancelled, _meta }, transport) {
  const { res, tenant } = authInfo.extra;
  // The SDK ends a call that its caller cancels, but neither the stream of its answer, nor the call
  // of a caller who leaves.
  cancelled.addEventListener('abort', () => transport.closeSSEStream(requestId));
  const ended = AbortSignal.any([cancelled, controllerFor(res).signal]);
  // A turn of this process asks for little; others may ask for minutes.
  const request = tenant === undefined ? callOf(_meta.tenant) : keyOf(tenant);
  const { signal } = controllerFor(ended, request);
  counts.tools++;
  try {
    const options = { signal, label: tool.name };
    const text = await scheduler.postTask(() => tool(args, signal), options);
    return { content: [{ type: 'text', text }] };
  } finally {
    counts.tools--;
  }
}

const sessions = new Map();

async function createSession(isOwn) {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, { transport, timer }),
  });
  const timer = isOwn ? undefined : setTimeout(() => transport.close(), IDLE).unref();
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  const documents = z.number().int().min(1).max(1_000_000).default(100);
  server.registerTool('search', {
    description: 'Searches some documents', inputSchema: { words: z.string(), documents },
  }, (args, extra) => callTool(search, args, extra, transport));
  await server.connect(transport);
  server.server.onclose = () => {
    clearTimeout(timer);
    sessions.delete(transport.sessionId);
  };
  return transport;
}

// Answers a request to /mcp. The tenant of an inner one comes with each call.
export async function answerMcp(req, res, { body, tenant }) {
  // There is no stream of events beside those of the calls, which the protocol allows.
  if (!['POST', 'DELETE'].includes(req.method)) return res.writeHead(405).end();
  const id = req.headers['mcp-session-id'];
  const session = sessions.get(id);
  // A session that has ended: the client opens another.
  if (id !== undefined && session === undefined) return res.writeHead(404).end();
  session?.timer?.refresh();
  // Without a session a request may only open one: the SDK refuses all else.
  const transport = session?.transport ?? await createSession(tenant === undefined);
  // The way by which the SDK takes what is known of a caller.
  req.auth = { token: '', clientId: tenant ?? '', scopes: [], extra: { res, tenant } };
  await transport.handleRequest(req, res, body);
}

// Connects the turns of this process to its own tool server.
export async function connectTools(url) {
  const headers = { 'x-inner': INNER };
  const client = new Client({ name: 'gateway', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url),
    { requestInit: { headers } });
  await client.connect(transport);
  return {
    call: (name, args, { tenant, signal }) =>
      client.callTool({ name, arguments: args, _meta: { tenant } }, undefined, { signal }),
    async close() {
      await transport.terminateSession();
      await client.close();
    },
  };
}
