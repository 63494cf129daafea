'use strict';

// The site of `npm start`, in a process of its own, and visitors who read its pages.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { ROOT } = require('../setup/process');

const MAIN = path.join(ROOT, 'examples', 'docs-site', 'main.js');
const ADDRESS = /http:\/\/[^/\s]+/;
const VISITORS = 6;
// The longest pause between two pages of a visitor, in milliseconds.
const READING = 300;

// Starts it with --serve and these arguments. Returns its address, and a function that ends it.
async function startSite(...args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [MAIN, '--serve', ...args], { stdio });
  const ended = once(child, 'close');
  const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
  const stop = () => {
    child.kill('SIGINT');
    return ended;
  };
  return { url: ADDRESS.exec(text)[0], stop };
}

// Visits its pages for so many seconds.
async function visit(url, seconds) {
  const list = await (await fetch(url)).text();
  const paths = Array.from(list.matchAll(/href="(\/docs\/[^"#]+)"/g), ([, found]) => found);
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const visitor = async () => {
    while (performance.now() < end) {
      // Neighbours in the list are alike.
      const page = next++ * 7 % paths.length;
      await (await fetch(url + paths[page])).text();
      await delay(page % READING);
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, visitor));
}

module.exports = { startSite, visit };
