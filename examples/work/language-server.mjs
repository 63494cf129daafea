// A language server: requests are urgent, diagnostics are not, and a cancelled request ends.

import { PassThrough } from 'node:stream';
import {
  CancellationTokenSource, StreamMessageReader, StreamMessageWriter, createMessageConnection,
} from 'vscode-jsonrpc/node';
import { pieces, scheduler } from 'uv-scheduler';

const toServer = new PassThrough();
const toClient = new PassThrough();
const connect = (from, to) => {
  return createMessageConnection(new StreamMessageReader(from), new StreamMessageWriter(to));
};
const server = connect(toServer, toClient);

async function lookThrough(files, signal) {
  let found = 0;
  for await (const file of pieces(Array(files).keys(), { signal })) {
    for (const end = performance.now() + 0.5; performance.now() < end;); // Parses the file.
    found = file + 1;
  }
  return found;
}

// A request of the editor that `$/cancelRequest` ends.
function request(method, priority, handle) {
  server.onRequest(method, (params, token) => {
    const controller = new AbortController();
    const { signal } = controller;
    token.onCancellationRequested(() => controller.abort());
    return scheduler.postTask(() => handle(params, signal), { signal, priority, fairnessKey: '' });
  });
}

request('completion', 'user-blocking', ({ files }, signal) => lookThrough(files, signal));
request('references', 'user-visible', ({ files }, signal) => lookThrough(files, signal));
server.onNotification('didChange', ({ files }) => {
  scheduler.postTask(() => lookThrough(files), { priority: 'background', maxWait: 5_000 })
    .then((found) => server.sendNotification('diagnostics', found));
});
server.listen();

// To try it: the editor types, asks for references, thinks better of it, and completes a word.
const client = connect(toClient, toServer);
client.listen();
const order = [];
const diagnostics = new Promise((resolve) => client.onNotification('diagnostics', resolve));
client.sendNotification('didChange', { files: 200 });
const cancelled = new CancellationTokenSource();
const references = client.sendRequest('references', { files: 10_000 }, cancelled.token)
  .catch(() => order.push('references cancelled'));
const completion = client.sendRequest('completion', { files: 5 })
  .then((found) => order.push(`${found} completions`))
  .then(() => cancelled.cancel());
await Promise.all([references, completion, diagnostics.then(() => order.push('diagnostics'))]);
console.log(order.join(', ')); // prints: 5 completions, references cancelled, diagnostics
client.end();
server.end();
