'use strict';

// The connections that servers accept from the loading of this file on, and their sessions of
// HTTP/2, for shutDown(); and their number, for admissions. Node's own lists lack the connections
// before a TLS handshake and those of HTTP/2, and before Node 24 the sessions.

const { subscribe } = require('node:diagnostics_channel');
const { undocumented } = require('../internal.js');

const { serverOf, sessionOn, sessionsOf, socketsOf } = undocumented;

// For each server of node:http, node:https or node:http2 its open sockets and sessions.
const followed = new WeakMap();

const NONE = { sockets: [], sessions: [] };

let accepted = 0;

subscribe('net.server.socket', ({ socket }) => {
  accepted++;
  const server = serverOf(socket);
  // Other servers cannot be shut down.
  if (typeof server?.setTimeout !== 'function') return;
  if (typeof server.updateSettings === 'function' && !followed.has(server)) {
    server.on('session', (session) => followSession(server, session));
    // The event of this socket's session may be over.
    const session = sessionOn(socket);
    if (session !== undefined) followSession(server, session);
  }
  addUntilClose(of(server).sockets, socket);
});

function followSession(server, session) {
  addUntilClose(of(server).sessions, session);
}

function of(server) {
  let open = followed.get(server);
  if (open === undefined) followed.set(server, open = { sockets: new Set(), sessions: new Set() });
  return open;
}

function addUntilClose(open, item) {
  if (item.destroyed || open.has(item)) return;
  open.add(item);
  item.once('close', () => open.delete(item));
}

function allSessions(server) {
  const { sessions } = followed.get(server) ?? NONE;
  return new Set([...sessionsOf(server), ...sessions]);
}

// The connections that have sent nothing.
function silentSockets(server) {
  const { sockets } = followed.get(server) ?? NONE;
  return [...socketsOf(server), ...sockets].filter(({ bytesRead }) => bytesRead === 0);
}

// The number of connections that servers have accepted, undefined if the host has announced none.
function countAccepted() {
  return accepted > 0 ? accepted : undefined;
}

module.exports = { allSessions, countAccepted, followSession, silentSockets };
