// A WebSocket whose messages share the thread by client, and end with their connection.

import { once } from 'node:events';
import { pieces, scheduler } from 'uv-scheduler';
import { WebSocket, WebSocketServer } from 'ws';

async function render(rows, signal) {
  for await (const row of pieces(Array(rows).keys(), { signal })) {
    for (const end = performance.now() + 1; performance.now() < end;); // Renders the row.
    if (row === rows - 1) return `${rows} rows`;
  }
}

const server = new WebSocketServer({ port: 0 });
let clients = 0;
server.on('connection', (socket) => {
  const fairnessKey = `${clients++}`; // Better the id of a user, from a verified session.
  const closed = new AbortController();
  const { signal } = closed;
  socket.on('error', () => {}); // 'close' follows.
  socket.on('close', () => closed.abort());
  socket.on('message', (rows) => {
    const answer = async () => socket.send(await render(Number(rows), signal));
    scheduler.postTask(answer, { signal, fairnessKey }).catch((error) => {
      if (!signal.aborted) socket.close(1011, error.name);
    });
  });
});

// To try it: two clients, of which the first one asks for more.
async function ask(rows) {
  const socket = new WebSocket(`ws://localhost:${server.address().port}`);
  await once(socket, 'open');
  socket.send(rows);
  const [answer] = await once(socket, 'message');
  console.log(`${answer}`);
  socket.close();
}
await Promise.all([ask(500), ask(1)]);
server.close();
// prints: 1 rows
// prints: 500 rows
