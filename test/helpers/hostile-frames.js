'use strict';

// Owns how frames of HTTP/2 are written, right and wrong ones, and how the status of an answer is
// read. Node's own client writes none that are wrong. All are strings of Latin-1.

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const FRAME_HEAD = 9;

const DATA = 0;
const HEADERS = 1;
const PRIORITY = 2;
const RST_STREAM = 3;
const SETTINGS = 4;
const PUSH_PROMISE = 5;
const PING = 6;
const GOAWAY = 7;
const WINDOW_UPDATE = 8;
const CONTINUATION = 9;

const END_STREAM = 1;
const END_HEADERS = 4;
const PADDED = 8;

const CANCEL = 8;

const bigEndian = (value, bytes) => {
  return Array.from({ length: bytes }, (_, i) => {
    return String.fromCharCode(Math.floor(value / 256 ** (bytes - 1 - i)) % 256);
  }).join('');
};

// `length` is that of the payload, unless it shall be a wrong one.
function frame(type, flags, stream, payload, length = payload.length) {
  return bigEndian(length, 3) + bigEndian(type, 1) + bigEndian(flags, 1) + bigEndian(stream, 4)
    + payload;
}

// A string of HPACK, not compressed.
function text(value) {
  if (value.length < 127) return bigEndian(value.length, 1) + value;
  let length = '\x7f';
  let rest = value.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length += bigEndian(128 + (rest % 128), 1);
  return length + bigEndian(rest, 1) + value;
}

// Header fields, as pairs, which enter no table.
const fields = (pairs) => pairs.map(([name, value]) => `\0${text(name)}${text(value)}`).join('');

// The frames of the headers of a stream: several where they are large.
function headers(stream, pairs, flags = END_STREAM) {
  const parts = fields(pairs).match(/[^]{1,16000}/g) ?? [''];
  return parts.map((part, i) => {
    const end = i === parts.length - 1 ? END_HEADERS : 0;
    if (i === 0) return frame(HEADERS, flags | end, stream, part);
    return frame(CONTINUATION, end, stream, part);
  }).join('');
}

function settings(pairs = []) {
  const entries = pairs.map(([id, value]) => bigEndian(id, 2) + bigEndian(value, 4));
  return frame(SETTINGS, 0, 0, entries.join(''));
}

const data = (stream, payload, flags = END_STREAM) => frame(DATA, flags, stream, payload);
const reset = (stream, code = CANCEL) => frame(RST_STREAM, 0, stream, bigEndian(code, 4));
const goAway = (last = 0, code = 0) => {
  return frame(GOAWAY, 0, 0, bigEndian(last, 4) + bigEndian(code, 4));
};
const windowUpdate = (stream, size) => frame(WINDOW_UPDATE, 0, stream, bigEndian(size, 4));
const ping = () => frame(PING, 0, 0, 'hostile ');

// The statuses that the static table of HPACK has.
const STATUSES = { 0x88: 200, 0x89: 204, 0x8a: 206, 0x8b: 304, 0x8c: 400, 0x8d: 404, 0x8e: 500 };

// The status of the first answer among the bytes that a server has sent, if there is one.
function statusOf(bytes) {
  for (let at = 0; at + FRAME_HEAD < bytes.length;) {
    const byte = (offset) => bytes.charCodeAt(at + offset);
    if (byte(3) === HEADERS) return STATUSES[byte(FRAME_HEAD)] ?? 'other';
    at += FRAME_HEAD + 65_536 * byte(0) + 256 * byte(1) + byte(2);
  }
  return undefined;
}

module.exports = {
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  HEADERS,
  PADDED,
  PREFACE,
  PRIORITY,
  PUSH_PROMISE,
  SETTINGS,
  WINDOW_UPDATE,
  bigEndian,
  data,
  fields,
  frame,
  goAway,
  headers,
  ping,
  reset,
  settings,
  statusOf,
  windowUpdate,
};
