'use strict';

// `npm run pictures`: makes the pictures of docs/ that show programs on a screen, in Chromium: the
// site of `npm start` with visitors and a rebuild of the search index, on its page /scheduler, and
// as a trace in the panel "Performance" of DevTools. The programs run for real, so no two pictures
// are the same. Arguments are the names of some of them.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { prepare } = require('./setup');
const npm = require('./setup/npm');
const { ROOT, checkName, runMain, say } = require('./setup/process');
const system = require('./setup/system');

const BROWSER = path.join(ROOT, 'test', 'ecosystem', 'browser');
const SITE = path.join(ROOT, 'examples', 'docs-site', 'main.js');

// As long as the page remembers, in seconds; and a trace of so many.
const SECONDS = 60;
const TRACED = 6;

const VISITORS = 6;
// The longest pause between two pages of a visitor, in milliseconds.
const READING = 300;

const DEVTOOLS = 'devtools://devtools/bundled/js_app.html?panel=timeline';

// The time that the picture of the trace shows, in microseconds. The names of tasks are readable
// in it.
const SHOWN = 40_000;

const VIEW = { width: 1240, height: 700 };
const CLIP = { x: 0, y: 54, width: VIEW.width, height: 256 };
const OVERVIEW = [600, 85];
const PROCESS = [14, 129];
const TRIANGLES = { x: 20, top: 146, step: 21, lanes: 3 };

// Runs the site with these arguments while `use(url)` does.
async function withSite(args, use) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [SITE, '--serve', '--busy', ...args], { stdio });
  const ended = once(child, 'close');
  try {
    const [text] = await once(child.stdout.setEncoding('utf8'), 'data');
    await use(/http:\/\/[^/\s]+/.exec(text)[0]);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}

// Visitors read its pages for so many seconds.
async function visit(url, seconds) {
  const list = await (await fetch(url)).text();
  const links = Array.from(list.matchAll(/href="(\/docs\/[^"#]+)"/g), ([, link]) => link);
  const end = performance.now() + seconds * 1000;
  let next = 0;
  const visitor = async () => {
    while (performance.now() < end) {
      // Neighbours in the list are alike.
      const page = next++ * 7 % links.length;
      await (await fetch(url + links[page])).text();
      await delay(page % READING);
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, visitor));
}

// Returns the part of a trace in which all three priorities take turns most often.
function choosePart(events) {
  const tasks = events.filter(({ ph, args }) => ph === 'X' && args?.id !== undefined);
  const within = (list, start) => list.filter(({ ts, dur = 0 }) =>
    ts >= start && ts + dur <= start + SHOWN);
  const judge = (start) => {
    const lanes = new Map();
    for (const { tid, dur } of within(tasks, start)) {
      if (dur > 500) lanes.set(tid, (lanes.get(tid) ?? 0) + 1);
    }
    return lanes.size === 3 ? Math.min(...lanes.values()) : 0;
  };
  const starts = tasks.filter((_, i) => i % 20 === 0)
    .map(({ ts }) => ({ start: ts, value: judge(ts) }));
  const [best] = starts.sort((a, b) => b.value - a.value);
  return [...events.filter(({ ph }) => ph === 'M'), ...within(events, best.start)];
}

async function record(file) {
  await withSite(['--trace', file], (url) => visit(url, TRACED));
  const events = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify(choosePart(events)));
}

async function showTrace(page, file) {
  await page.goto(DEVTOOLS);
  await page.locator('input[type=file]').first().setInputFiles(file);
  // Hints.
  await page.getByRole('button', { name: /close/i }).first().click();
  await page.locator('[aria-label*="sidebar" i]').first().click();
  await page.waitForTimeout(500);
  // DevTools shows what it takes for the interesting part.
  await page.mouse.dblclick(...OVERVIEW);
  await page.waitForTimeout(500);
  await page.mouse.click(...PROCESS);
  // From the bottom up: a lane that is open is taller.
  for (let lane = TRIANGLES.lanes; lane >= 0; lane--) {
    await page.mouse.click(TRIANGLES.x, TRIANGLES.top + lane * TRIANGLES.step);
    await page.waitForTimeout(200);
  }
  await page.mouse.move(VIEW.width / 2, VIEW.height - 40);
  await page.waitForTimeout(500);
}

// Each takes its picture into a file.
const PICTURES = {
  async 'scheduler-page'(browser, picture) {
    await withSite([], async (url) => {
      const page = await browser.newPage({ viewport: { width: 1160, height: 800 } });
      await page.goto(`${url}/scheduler`);
      // With visitors, without, and with them again.
      await visit(url, SECONDS * 0.4);
      await page.waitForTimeout(SECONDS * 0.3 * 1000);
      await visit(url, SECONDS * 0.3);
      await page.screenshot({ path: picture, fullPage: true });
    });
  },

  async trace(browser, picture) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-trace-'));
    const file = path.join(folder, 'trace.json');
    try {
      await record(file);
      const page = await browser.newPage({ viewport: VIEW });
      await showTrace(page, file);
      await page.screenshot({ path: picture, clip: CLIP });
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
};

runMain(async () => {
  const names = Object.keys(PICTURES);
  const wanted = process.argv.slice(2);
  for (const name of wanted) checkName('picture', name, names);
  await prepare();
  await npm.install(BROWSER, 'packages for test/ecosystem/browser');
  system.prepare('chromium');
  const { launch } = require(path.join(ROOT, 'test', 'helpers', 'chromium'));
  const browser = await launch();
  try {
    for (const name of wanted.length > 0 ? wanted : names) {
      say(`taking docs/${name}.png …`);
      await PICTURES[name](browser, path.join(ROOT, 'docs', `${name}.png`));
    }
  } finally {
    await browser.close();
  }
  return 0;
});
