// A program with uv-scheduler/report that tells pino, Datadog and Sentry of blocks. It ends when
// one was told while the span of its request was open, and prints what each has got.

import { subscribe } from 'node:diagnostics_channel';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Sentry from '@sentry/node';
import tracer from 'dd-trace';
import pino from 'pino';
import { labelWork } from '../../../dist/report.js';

const lines = [];
const events = [];
const logger = pino({}, { write: (line) => lines.push(JSON.parse(line)) });
tracer.init({ startupLogs: false, plugins: false });
Sentry.init({
  dsn: 'https://key@localhost/1',
  beforeSend(event) {
    events.push(event);
    return null;
  },
});

subscribe('uv-scheduler:blocked', ({ duration, kind, place, route, stack }) => {
  logger.warn({ duration, kind, place, route }, 'blocked'); // pino
  tracer.scope().active()?.addTags({ 'blocked.ms': duration, 'blocked.place': place }); // Datadog
  const error = new Error(`blocked by ${place}`); // Sentry
  error.stack = `${error}\n${stack}`;
  Sentry.captureException(error, { level: 'warning', fingerprint: [place], tags: { route } });
});

function planted() {
  for (const end = performance.now() + 200; performance.now() < end;);
}

let tags = {};
while (tags['blocked.place'] === undefined || !events.some(({ tags: { route } }) => route)) {
  await labelWork('GET /page', () => tracer.trace('request', async (span) => {
    await sleep(5);
    planted();
    // A finished span takes no tags.
    process.nextTick(() => (tags = { ...span.context()._tags, ...span.context().getTags?.() }));
  }));
  await sleep(5);
}
const line = lines.findLast(({ route }) => route);
const event = events.findLast((each) => each.tags.route);
const [exception] = event.exception.values;
console.log(JSON.stringify({
  pino: [line.level, line.msg, line.place, line.route, line.kind],
  datadog: [tags['blocked.place'], tags['blocked.ms'] > 100],
  sentry: [
    exception.value, exception.stacktrace.frames.at(-1).function, event.level, event.tags.route,
  ],
}));
process.exit();
