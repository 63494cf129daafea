'use strict';

// Owns the test of a shutdown under load: starts fixtures/draining-server.js, asks it for pages
// over many connections, sends SIGTERM in the middle, and says what was lost.

const { spawn } = require('node:child_process');
const http = require('node:http');
const { once } = require('node:events');
const path = require('node:path');
const { createInterface } = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');

const SERVER = path.join(__dirname, '..', 'fixtures', 'draining-server.js');
const CONNECTIONS = 8;
// The server's own timeout is shorter.
const LIMIT = 20_000;

// Fetches a page. 'refused' if the server has not accepted the request.
function fetchPage(agent, port) {
  return new Promise((resolve) => {
    const request = http.get({ agent, port, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve(text.endsWith('end') ? 'answered' : 'cut'));
      response.on('error', () => resolve('cut'));
    });
    request.on('error', () => resolve('refused'));
  });
}

// Resolves to what the server and its clients have counted, and how the server ended. It gets the
// signal after so many answers.
async function shutDown(node, answers) {
  const child = spawn(node.path, [SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT);
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const port = Number((await lines.next()).value);
  const agent = new http.Agent({ keepAlive: true });
  const clients = { answered: 0, cut: 0, refused: 0 };
  let isOver = false;
  const client = async () => {
    while (!isOver) clients[await fetchPage(agent, port)]++;
  };
  const all = Promise.all(Array.from({ length: CONNECTIONS }, client));
  while (clients.answered < answers && child.exitCode === null) await sleep(1);
  child.kill('SIGTERM');
  const { value = '{}' } = await lines.next();
  isOver = true;
  await all;
  agent.destroy();
  const [code, signal] = await closed;
  clearTimeout(timer);
  return { code, signal, clients, server: JSON.parse(value) };
}

// The faults of a shutdown, as texts.
function losses({ code, signal, clients, server }) {
  const { accepted, answered, posted, ranOnce, ranTwice, rejected, failed } = server;
  const complaints = [];
  if (code !== 0) complaints.push(`it ended with ${signal ?? code}`);
  if (answered !== accepted) complaints.push(`${accepted} accepted, ${answered} answered`);
  if (clients.answered !== answered) complaints.push(`${clients.answered} answers arrived`);
  if (clients.cut > 0) complaints.push(`${clients.cut} answers were cut`);
  if (ranTwice > 0) complaints.push(`${ranTwice} tasks ran twice`);
  if (posted !== ranOnce + rejected) complaints.push(`${posted - ranOnce - rejected} tasks lost`);
  if (failed > 0) complaints.push(`${failed} tasks failed`);
  return complaints;
}

module.exports = { losses, shutDown };
