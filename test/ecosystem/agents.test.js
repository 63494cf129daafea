'use strict';

// The example agents: people's tokens come beside agents and the flood of a tenant, all of a
// session ends with its visitor, and SIGTERM ends all in order.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const { createRequire } = require('node:module');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { WebSocket } = require('ws');
const { ExampleServer, folderOf } = require('../helpers/example-servers.js');
const { SLOW, testHostileClients, useServer } = require('../helpers/example-tests.js');
const { nodes } = require('../helpers/loop.js');

const NODE = nodes.at(-1);

const TOKENS = 40;
// A model that answers soon, and one that is silent for longer than any test.
const SOON = { FIRST_TOKEN: '1', BETWEEN_TOKENS: '1' };
const SILENT = { FIRST_TOKEN: '600000' };
const NO_AGENTS = { AGENTS: '0' };
const NOTHING = { sockets: 0, turns: 0, models: 0, tools: 0, compactions: 0, agentTurns: 0 };
// The largest search: it takes longer than any test.
const LONG_SEARCH = { words: 'scheduling', documents: 1_000_000 };
const TROUBLE = /unhandled|uncaught|error/i;

const range = (length, toItem) => Array.from({ length }, (_, i) => toItem(i));

// A context whose compaction takes a tenth of a ms for each message.
const contextOf = (length) => range(length, (i) => ({ role: 'user', text: `message ${i}` }));

function chat(server, { tenant = 'people', context, signal } = {}) {
  return fetch(new URL('/chat', server.url), {
    method: 'POST', headers: { 'x-tenant': tenant }, signal,
    body: JSON.stringify({ prompt: 'what is new?', context }),
  });
}

// Takes a turn that is not refused, as it can be where the machine stands still.
async function takeTurn(server, options) {
  let response;
  let text;
  do {
    response = await chat(server, options);
    text = await response.text();
  } while ([429, 503].includes(response.status));
  assert.equal(response.status, 200);
  assert.match(text, /data: \{"done":true\}\n\n$/);
  assert.equal(text.match(/"token"/g).length, TOKENS);
}

const countsOf = async (server) => JSON.parse((await server.ask('/health')).body);

// Waits until so much is under way.
async function until(server, wanted) {
  for (;;) {
    const counts = await countsOf(server);
    if (Object.entries(wanted).every(([name, count]) => counts[name] === count)) return;
    await delay(20);
  }
}

async function assertEnds(server) {
  assert.deepEqual(await server.terminate(), { code: 0, signal: null }, server.output);
  assert.doesNotMatch(server.output, TROUBLE);
}

async function openSession(server) {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/session`);
  await once(socket, 'open');
  const messages = [];
  socket.on('message', (data) => messages.push(JSON.parse(data)));
  return {
    socket, messages,
    say: (message) => socket.send(JSON.stringify(message)),
    async hears(isWanted) {
      while (!messages.some(isWanted)) await once(socket, 'message');
    },
  };
}

// A client of the tool server, by the SDK.
async function openTools(server) {
  const requireOf = createRequire(path.join(folderOf('agents'), 'package.json'));
  const { Client } = requireOf('@modelcontextprotocol/sdk/client/index.js');
  const { StreamableHTTPClientTransport } =
    requireOf('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)));
  const search = (args, signal) =>
    client.callTool({ name: 'search', arguments: args }, undefined, { signal });
  return { client, search };
}

// Defines a test with a server of its own.
function test(title, env, body) {
  it(title, async () => {
    const server = await ExampleServer.start('agents', { node: NODE.path, env });
    try {
      await body(server);
    } finally {
      await server.kill();
    }
  }).timeout(2 * SLOW);
}

describe(`on Node ${NODE.version}, the example agents`, () => {
  const quiet = { ...NO_AGENTS, ...SOON };

  describe('under attack', () => {
    const current = useServer('agents', () => ({ node: NODE.path, env: quiet }));
    const pages = ['/health', '/scheduler', '/mcp', 'POST /chat', 'POST /mcp'];
    testHostileClients(current, { pages, end: /^\{"sockets":0,/ });
  });

  test('sends the tokens of turns, over HTTP and over a WebSocket', quiet, async (server) => {
    await takeTurn(server, { context: contextOf(1000) });
    const { messages, say, hears, socket } = await openSession(server);
    say({ id: 1, prompt: 'hello' });
    say({ id: 2, prompt: 'and now?' });
    await hears(({ id, done }) => id === 2 && done);
    const tokens = messages.filter(({ token }) => token !== undefined);
    assert.equal(tokens.length, 2 * TOKENS);
    // A turn follows the one before.
    const expected = [1, 2].flatMap((id) => Array(TOKENS).fill(id));
    assert.deepEqual(tokens.map(({ id }) => id), expected);
    socket.close();
    await until(server, NOTHING);
  });

  test('is a tool server by the protocol, and ends the tools of callers who cancel or leave',
    // A search or a cancellation that is refused while the machine stands still is not sent again.
    { ...quiet, END_TIMEOUT: '600000', REFUSE_AFTER: '600000' }, async (server) => {
      const { client, search } = await openTools(server);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name), ['search']);
      const { content } = await search({ words: 'scheduling', documents: 3 });
      assert.deepEqual(content, [{ type: 'text', text: 'document 2 is about scheduling' }]);
      const leaving = await openTools(server);
      leaving.search(LONG_SEARCH).catch(() => {});
      const controllers = range(2, () => new AbortController());
      const calls = controllers.map(({ signal }) => search(LONG_SEARCH, signal));
      for (const call of calls) call.catch(() => {});
      await until(server, { tools: 3 });
      controllers[0].abort();
      await assert.rejects(calls[0]);
      await until(server, { tools: 2 });
      await leaving.client.close();
      await until(server, { tools: 1 });
      controllers[1].abort();
      await until(server, { tools: 0 });
      // No call has left a stream behind, for which the server would wait.
      await assertEnds(server);
      await client.close();
    });

  test("does not let a tenant's flood keep another from its tokens", quiet, async (server) => {
    const context = contextOf(1000);
    let served = 0;
    const flood = async () => {
      for (;; served++) await takeTurn(server, { tenant: 'flood', context });
    };
    // When the server is killed, they fail.
    for (let visitor = 0; visitor < 100; visitor++) flood().catch(() => {});
    while (served === 0) await delay(20);
    const before = served;
    for (let turn = 0; turn < 3; turn++) await takeTurn(server);
    // In the order in which they come, about three hundred turns would be served meanwhile.
    assert.ok(served - before < 100, `${served - before} turns of the flood`);
  });

  const silent = { ...NO_AGENTS, ...SILENT };
  test('ends a turn that is cancelled, and all of visitors who leave', silent, async (server) => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const chats = range(3, () => chat(server, { signal }).catch(() => {}));
    const sessions = await Promise.all(range(2, () => openSession(server)));
    for (const { say } of sessions) say({ id: 1, prompt: 'hello' });
    await until(server, { sockets: 2, turns: 5, models: 5 });
    leaving.abort();
    await until(server, { sockets: 2, turns: 2, models: 2 });
    const [{ say, hears }] = sessions;
    say({ cancel: 1 });
    await hears(({ id, cancelled }) => id === 1 && cancelled);
    await until(server, { sockets: 2, turns: 1, models: 1 });
    // The session goes on.
    say({ id: 2, prompt: 'and now?' });
    await until(server, { turns: 2, models: 2 });
    for (const { socket } of sessions) socket.terminate();
    await until(server, NOTHING);
    await Promise.all(chats);
    assert.doesNotMatch(server.output, TROUBLE);
  });

  const ending = { ...SOON, AGENTS: '2', END_TIMEOUT: '60000' };
  test('serves turns to their end on SIGTERM, and closes WebSockets', ending, async (server) => {
    const idle = await Promise.all(range(2, () => openSession(server)));
    // This one does not answer when it is closed.
    idle[0].socket.pause();
    // Its tools are called behind the compaction of its context.
    const turn = chat(server, { context: contextOf(10_000) });
    await until(server, { compactions: 1 });
    const closed = once(idle[1].socket, 'close');
    const ended = assertEnds(server);
    const response = await turn;
    assert.equal(response.status, 200);
    assert.equal((await response.text()).match(/"token"/g).length, TOKENS);
    assert.equal((await closed)[0], 1001);
    await ended;
    idle[0].socket.terminate();
  });
});
