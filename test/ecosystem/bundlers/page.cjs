'use strict';

// The same as page.mjs of a CommonJS module.

const { drain, pieces, scheduler, wait } = require('uv-scheduler');

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
