'use strict';

// OpenTelemetry's instrumentation of node:http, as a program loads it with --require. Prints each
// span of a server, with its status.

const { registerInstrumentations } = require('@opentelemetry/instrumentation');
const { HttpInstrumentation } = require('@opentelemetry/instrumentation-http');
const { NodeTracerProvider, SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-node');

const exporter = {
  export(spans, done) {
    for (const { attributes, kind, parentSpanContext } of spans) {
      if (kind !== 1) continue;
      const { 'http.response.status_code': status, 'http.status_code': old } = attributes;
      console.log('span', attributes['url.path'] ?? attributes['http.target'], status ?? old,
        parentSpanContext?.spanId ?? 'no parent');
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};

const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
registerInstrumentations({ instrumentations: [new HttpInstrumentation()] });
