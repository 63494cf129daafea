'use strict';

// A trace of the site of `npm start`, with visitors and a rebuild of the search index, in the panel
// "Performance" of Chromium's DevTools.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { startSite, visit } = require('./site');

const DEVTOOLS = 'devtools://devtools/bundled/js_app.html?panel=timeline';
const SECONDS = 6;

// What the picture shows, in microseconds: names of tasks are readable then.
const SHOWN = 40_000;

const VIEW = { width: 1240, height: 700 };
const CLIP = { x: 0, y: 54, width: VIEW.width, height: 256 };
const OVERVIEW = [600, 85];
const PROCESS = [14, 129];
const TRIANGLES = { x: 20, top: 146, step: 21, lanes: 3 };

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
  const { url, stop } = await startSite('--busy', '--trace', file);
  try {
    await visit(url, SECONDS);
  } finally {
    await stop();
  }
  const events = JSON.parse(fs.readFileSync(file, 'utf8'));
  fs.writeFileSync(file, JSON.stringify(choosePart(events)));
}

// Takes the picture into a file.
module.exports = async (browser, picture) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-trace-'));
  const file = path.join(folder, 'trace.json');
  try {
    await record(file);
    const page = await browser.newPage({ viewport: VIEW });
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
    await page.screenshot({ path: picture, clip: CLIP });
    await page.close();
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
};
