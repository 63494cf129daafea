// Styles of styled-components with `<Scheduled>`: sections that are rendered behind the shell bring
// theirs along.

import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createElement as h } from 'react';
import { renderToPipeableStream } from 'react-dom/server';
import { ServerStyleSheet, styled } from 'styled-components';
import { Scheduled } from 'uv-scheduler/react';

const Title = styled.h2`color: rgb(${({ $shade }) => $shade}, 0, 0);`;
const page = () => h('main', null, [1, 2, 3].map((shade) => {
  return h(Scheduled, { key: shade, fallback: '…' }, h(Title, { $shade: shade }, shade));
}));

// The page as it is rendered.
function streamed() {
  const sheet = new ServerStyleSheet();
  const to = new PassThrough();
  const stream = renderToPipeableStream(sheet.collectStyles(page()), {
    onShellReady: () => sheet.interleaveWithNodeStream(stream).pipe(to),
  });
  return text(to);
}

// The whole page.
function whole() {
  const sheet = new ServerStyleSheet();
  const to = new PassThrough();
  const stream = renderToPipeableStream(sheet.collectStyles(page()), {
    progressiveChunkSize: Infinity,
    onAllReady() {
      to.write(sheet.getStyleTags());
      stream.pipe(to);
      sheet.seal();
    },
  });
  return text(to);
}

for (const render of [streamed, whole]) {
  const html = await render();
  console.log([1, 2, 3].every((shade) => html.includes(`rgb(${shade}`)));
}
// prints: true
// prints: true
