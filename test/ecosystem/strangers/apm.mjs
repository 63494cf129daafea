// The APM agents that hook servers, as a program loads one with --import: APM names it. Each prints
// the requests that it sees, by its own name, with the status; dd-trace with the client's trace.

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const print = (...values) => console.log('span', ...values);

const AGENTS = {
  'dd-trace'() {
    const tracer = require('dd-trace').init({ startupLogs: false });
    const request = (span, asked, { statusCode }) => {
      print(asked.method, asked.url, statusCode, span.context().toTraceId(true));
    };
    const hooks = { request };
    for (const name of ['http', 'express']) tracer.use(name, { server: { hooks }, hooks });
  },
  '@sentry/node'() {
    require('@sentry/node').init({
      dsn: 'http://a@127.0.0.1:9/1',
      tracesSampleRate: 1,
      traceLifecycle: 'static',
      beforeSendTransaction({ transaction, contexts: { response } }) {
        print(transaction, response?.status_code);
        return null;
      },
    });
  },
  'newrelic'() {
    Object.assign(process.env, {
      NEW_RELIC_APP_NAME: 'a', NEW_RELIC_LICENSE_KEY: 'a'.repeat(40),
      NEW_RELIC_LOG_ENABLED: 'false', NEW_RELIC_HOST: '127.0.0.1', NEW_RELIC_PORT: '9',
    });
    const { agent } = require('newrelic');
    agent.on('transactionFinished', ({ name, statusCode }) => print(name, statusCode));
  },
};

AGENTS[process.env.APM]();
