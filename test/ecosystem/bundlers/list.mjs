// A component that a server and its pages share.

import { drain, pieces, scheduler, wait } from 'uv-scheduler';

export async function list(items) {
  let html = '';
  await wait(1);
  for await (const item of pieces(items)) html += `<li>${item}</li>`;
  return scheduler.postTask(() => html, { priority: 'background' });
}

// Pages can import the functions that only servers have.
export async function end() {
  await drain();
}
