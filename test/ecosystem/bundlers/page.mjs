// Shows the component: in a page as its text, in Node on standard output.

import { end, list } from './list.mjs';

let refusal = 'none';
const text = await list([0, 1, 2]);
try {
  await end();
} catch ({ code }) {
  refusal = code;
}
const shown = JSON.stringify({ text, refusal });
if (globalThis.document) globalThis.document.body.textContent = shown;
else console.log(shown);
