// A development server that answers while the site is being built. A page that somebody asks for is
// built before all others.

import http from 'node:http';
import { shutDown } from 'uv-scheduler/http';
import { shutDownOnSignals } from '../shared/shut-down.mjs';
import { startBuild } from './build.js';

let built = 0;
let answered = 0;

async function sendPage(res, { page, controller }) {
  // Does nothing if the page is built already.
  controller.setPriority('user-blocking');
  try {
    res.setHeader('content-type', 'text/html; charset=utf-8').end(await page);
  } catch (error) {
    res.writeHead(500).end(`${error.message}\n`);
  }
}

async function main() {
  const pages = await startBuild();

  const server = http.createServer((req, res) => {
    answered += 1;
    if (req.url === '/health') return res.end('ok\n');
    if (req.url === '/built') return res.end(`${built}\n`);
    if (pages.has(req.url)) return sendPage(res, pages.get(req.url));
    res.writeHead(404).end();
  });
  server.listen(process.env.PORT ?? 3000, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${server.address().port}/chapter-${pages.size}.html`);
  });

  // The rest of the build is aborted.
  shutDownOnSignals(server, shutDown);

  const count = () => (built += 1);
  await Promise.all(Array.from(pages.values(), ({ page }) => page.then(count)));
  console.log(`built ${built} pages, and answered ${answered} requests meanwhile`);
}

main().catch((error) => {
  if (error.name !== 'AbortError') throw error;
  console.log(`the build has ended after ${built} pages`);
});
