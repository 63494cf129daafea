'use strict';

// The requests that the code of admitted requests sends to servers, by node:http, node:https and
// fetch(), over HTTP/1.1. If the server is one of this process, a request that has begun waits for
// the one that arrives: both are known by the two ends of their connection. Bun announces neither.

const { subscribe } = require('node:diagnostics_channel');
const { flowOfRequest } = require('../../internal.js');

// By the ends of their connections, the Requests that wait for an answer there.
const callers = new Map();

// A server of IPv6 sees addresses of IPv4 in another form.
function endsOf(address, port, otherAddress, otherPort) {
  return [address, port, otherAddress, otherPort].join(' ').replaceAll('::ffff:', '');
}

// A request is sent on a socket. Returns a function that ends this.
function send(caller, socket) {
  let ends;
  const begin = () => {
    ends = endsOf(socket.localAddress, socket.localPort, socket.remoteAddress, socket.remotePort);
    callers.set(ends, caller);
  };
  if (socket.connecting) socket.once('connect', begin);
  else begin();
  return () => {
    socket.removeListener('connect', begin);
    if (callers.get(ends) === caller) callers.delete(ends);
  };
}

subscribe('http.client.request.start', ({ request }) => {
  const caller = flowOfRequest()?.request;
  if (caller !== undefined) request.once('close', send(caller, request.socket));
});

// The callers of the requests of fetch(), until they are sent, and what ends them.
const created = new WeakMap();
const ends = new WeakMap();

subscribe('undici:request:create', ({ request }) => {
  const caller = flowOfRequest()?.request;
  if (caller !== undefined) created.set(request, caller);
});

subscribe('undici:client:sendHeaders', ({ request, socket }) => {
  const caller = created.get(request);
  if (caller !== undefined) ends.set(request, send(caller, socket));
});

for (const name of ['undici:request:trailers', 'undici:request:error']) {
  subscribe(name, ({ request }) => ends.get(request)?.());
}

// The Request that waits for what arrives on a socket of a server; undefined if there is none.
function callerOn(socket) {
  if (callers.size === 0 || socket?.remotePort === undefined) return undefined;
  const { localAddress, localPort, remoteAddress, remotePort } = socket;
  return callers.get(endsOf(remoteAddress, remotePort, localAddress, localPort));
}

module.exports = { callerOn };
