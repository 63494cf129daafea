// Builds the site, in background tasks: they run only while there is nothing else to do.
// `node build.js` does so alone; server.js builds while it serves.

import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TaskController, scheduler, shouldYield } from 'uv-scheduler';
import { chapters } from './chapters.js';

const OUTPUT = path.join(import.meta.dirname, 'dist');

async function buildPage({ file, title, sections }, marked) {
  const html = [`<!DOCTYPE html>\n<title>${title}</title>\n<h1>${title}</h1>\n`];
  for (const section of sections) {
    html.push(marked.parse(section));
    // Goes straight on while there is nothing else to do.
    if (shouldYield()) await scheduler.yield();
  }
  const page = html.join('');
  await writeFile(path.join(OUTPUT, file), page);
  return page;
}

// Begins to build all pages. Returns a map from the address of a page to `{ page, controller }`:
// the promise of its HTML, and what makes it more urgent.
export async function startBuild() {
  const { marked } = await import('marked');
  await mkdir(OUTPUT, { recursive: true });
  return new Map(chapters.map((chapter) => {
    const controller = new TaskController({ priority: 'background' });
    const { signal } = controller;
    const page = scheduler.postTask(() => buildPage(chapter, marked), { signal });
    return [`/${chapter.file}`, { page, controller }];
  }));
}

async function main() {
  const pages = await startBuild();
  await Promise.all(Array.from(pages.values(), ({ page }) => page));
  console.log(`built ${pages.size} pages in ${path.relative('', OUTPUT)}`);
}

if (process.argv[1] === import.meta.filename) main();
