// A server that has each request handled in a task: one that asks for `background` is one of a
// crawler.`/log` answers with what was rendered since it was asked last: the names of sections, in
// a list for each callback of the loop. When the first section of a crawler's page is rendered, a
// visitor asks for the same. `/log?leave=<kind>&times=<number>` first asks for so many pages of
// that kind at once, and leaves each in its third section. The first SIGTERM begins a delay that
// the second one ends.

import { createServer } from 'node:http';
import next from 'next';
import { scheduler } from 'uv-scheduler';
import { controllerFor, shutDown } from 'uv-scheduler/http';

const port = Number(process.env.PORT);
const app = next({ dev: false, hostname: '127.0.0.1', port });
await app.prepare();
const handle = app.getRequestHandler();

let log = [];
let callback = [];
let visit;
const responses = new Map();

globalThis.noteSection = (name) => {
  if (callback.length === 0) {
    log.push(callback);
    process.nextTick(() => (callback = []));
  }
  callback.push(name);
  const [, leaver] = /^(leaver\d+) 2$/.exec(name) ?? [];
  if (leaver !== undefined) responses.get(leaver).destroy();
  if (name === 'crawler 0') visit = getSections(responses.get('crawler').kind, 'visitor');
};

const getSections = async (kind, page) =>
  (await fetch(`http://127.0.0.1:${port}/sections?kind=${kind}&page=${page}`)).text();

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  if (pathname === '/log') {
    const leave = searchParams.get('leave');
    const times = Number(searchParams.get('times'));
    await Promise.all(Array.from({ length: times }, (_, number) =>
      getSections(leave, `leaver${number}`).catch(() => {})));
    await visit;
    response.end(JSON.stringify(log));
    log = [];
    return;
  }
  const page = searchParams.get('page');
  response.kind = searchParams.get('kind');
  responses.set(page, response);
  const priority = page === 'crawler' ? 'background' : 'user-visible';
  const { signal } = controllerFor(response);
  scheduler.postTask(() => handle(request, response), { priority, signal }).catch(() => {});
});

server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port} is ready`));

let delay = 2 ** 30;
process.on('SIGTERM', async () => {
  const isLast = delay === 0;
  const ended = shutDown(server, { delay });
  delay = 0;
  console.log('It ends.');
  await ended;
  if (isLast) process.exit();
});
