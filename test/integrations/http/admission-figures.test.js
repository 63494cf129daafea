'use strict';

// What the exporters show of admissions.

const assert = require('node:assert/strict');
const http = require('node:http');
const { Registry } = require('prom-client');
const { createAdmission } = require('uv-scheduler/http');
const { collectTasks } = require('uv-scheduler/prometheus');
const { ask, classify, closeAll, listen } = require('../../helpers/admission.js');

afterEach(closeAll);

describe('collectTasks()', () => {
  it('shows the requests of all admissions', async () => {
    const register = new Registry();
    const { stop } = collectTasks({ register });
    const read = async () => {
      const { values } = await register.getSingleMetric('uv_scheduler_requests_total').get();
      const isWanted = ({ labels: { priority, outcome } }) =>
        priority === 'background' && outcome === 'admitted';
      return values.find(isWanted)?.value ?? 0;
    };
    const before = await read();
    for (let i = 0; i < 2; i++) {
      const { handler } = createAdmission({ classify });
      const port = await listen(http.createServer(handler((_, response) => response.end())));
      await ask(port, '/background');
    }
    assert.equal(await read(), before + 2);
    assert.match(await register.metrics(), /request_delay_seconds_count{.*background.*} \d/);
    stop();
  });
});
