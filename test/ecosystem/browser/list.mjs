// A page whose button counts clicks while a list is rendered. `show(pieces(items))` renders it in
// pieces, `show(items)` in one go. Each item takes 2 ms.

/* global document */

const ITEM = 2;

const clicks = [];
let hasEnded = false;

document.querySelector('button').addEventListener('click', ({ timeStamp }) => {
  clicks.push({ latency: performance.now() - timeStamp, isLate: hasEnded });
});

function render(item) {
  const end = performance.now() + ITEM;
  while (performance.now() < end);
  const row = document.createElement('li');
  row.textContent = item;
  document.querySelector('ol').append(row);
}

// Resolves when clicks until then have been handled.
export async function show(items) {
  const start = performance.now();
  for await (const item of items) render(item);
  const duration = performance.now() - start;
  hasEnded = true;
  // Clicks that came while the list was rendered have been handled then.
  await new Promise((resolve) => setTimeout(resolve, 100));
  return { clicks, duration, rows: document.querySelectorAll('li').length };
}

export function showAtOnce(items) {
  for (const item of items) render(item);
  return show([]);
}
