// Owns the connection to the server. Opens another when it breaks, and none while nobody looks.

import { draw } from './draw.mjs';
import { Recent } from './recent.mjs';

// After so many milliseconds without an event, the connection is taken for dead.
const SILENCE = 4000;

// An answer that is no stream of events ends an EventSource for good: another is opened then.
const RETRY = 2000;

const recent = new Recent();
const status = document.getElementById('connection');
let source;
let timer;

function show(state, text) {
  status.dataset.state = state;
  status.textContent = text;
  document.documentElement.toggleAttribute('data-stale', state === 'lost');
}

function close() {
  clearTimeout(timer);
  source?.close();
  source = undefined;
}

function connect() {
  close();
  source = new EventSource('/scheduler/events');
  source.onmessage = ({ data }) => {
    expectEvent();
    recent.add(JSON.parse(data));
    show('live', 'live');
    draw(recent);
  };
  source.onerror = () => {
    show('lost', 'no connection, trying again');
    if (source.readyState !== EventSource.CLOSED) return;
    clearTimeout(timer);
    timer = setTimeout(connect, RETRY);
  };
  expectEvent();
}

function expectEvent() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    show('lost', 'no answer, trying again');
    connect();
  }, SILENCE);
}

document.addEventListener('visibilitychange', () => {
  if (document.hidden) close();
  else connect();
});

if (!document.hidden) connect();
