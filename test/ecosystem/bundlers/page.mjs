// A component that a server and its pages share, shown in a page as its text, in Node on standard
// output. Pages can import the functions that only servers have.

import { drain, pieces, scheduler, wait } from 'uv-scheduler';

async function show() {
  let html = '';
  let refusal = 'none';
  await wait(1);
  for await (const item of pieces([0, 1, 2])) html += `<li>${item}</li>`;
  const text = await scheduler.postTask(() => html, { priority: 'background' });
  try {
    await drain();
  } catch ({ code }) {
    refusal = code;
  }
  const shown = JSON.stringify({ text, refusal });
  if (globalThis.document) globalThis.document.body.textContent = shown;
  else console.log(shown);
}

show();
