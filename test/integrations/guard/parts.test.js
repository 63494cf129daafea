'use strict';

// The parts of uv-scheduler/guard without a server: probes, crawlers, and its arguments.

const assert = require('node:assert/strict');
const http = require('node:http');
const { guard } = require('uv-scheduler/guard');
const { CRAWLERS } = require('../../../integrations/guard/crawlers.js');
const { Probes } = require('../../../integrations/guard/probes.js');

const get = { method: 'GET' };

describe('a probe', () => {
  // How many pass by of those that come at a time in ms, and each take so many ms of the thread.
  const passing = (probes, now, time) => {
    let count = 0;
    for (; count < 1000 && probes.take(get, '/healthz', now); count++) probes.used(time);
    return count;
  };

  it('passes by within a twentieth of the thread, however many come', () => {
    const probes = new Probes();
    passing(probes, 0, 2);
    let count = 0;
    for (let now = 0; now < 10_000; now += 10) count += passing(probes, now, 2);
    assert.ok(count > 200 && count < 270, `${count} probes of 2 ms in 10 s`);
  });

  it('passes by once in a while also where it takes long', () => {
    const probes = new Probes();
    for (let now = 0; now < 100_000; now += 10) passing(probes, now, 100);
    assert.equal(probes.take(get, '/healthz', 1e6), true);
  });

  it('has an exact path, and one of two methods', () => {
    const isProbe = (method, path) => new Probes().take({ method }, path, 0);
    for (const path of ['/health', '/livez', '/api/health', '/-/ready', '/metrics']) {
      assert.equal(isProbe('GET', path), true, path);
    }
    for (const [method, path] of [['POST', '/health'], ['GET', '/health/x'], ['GET', '/'],
      ['GET', '/healthy']]) assert.equal(isProbe(method, path), false, path);
  });
});

describe('a user agent', () => {
  const browsers = [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 '
      + 'Safari/537.36',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like '
      + 'Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 10; CUBOT_X18) AppleWebKit/537.36', 'curl/8.5.0', 'axios/1.9',
    'python-requests/2.32', 'node', 'OpenAI/Python 1.2', 'okhttp/4.12',
  ];
  const crawlers = [
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bingbot/2.0',
    'Mozilla/5.0 (compatible; YandexBot/3.0)', 'facebookexternalhit/1.1', 'GPTBot/1.2',
    'Baiduspider', 'CCBot/2.0', 'AhrefsBot/7.0',
  ];

  for (const [title, agents, isCrawler] of [
    ['of a person or a program is no crawler', browsers, false],
    ['of a crawler is one', crawlers, true],
  ]) {
    it(title, () => {
      assert.deepEqual(agents.filter((agent) => CRAWLERS.test(agent) !== isCrawler), []);
    });
  }
});

describe('guard()', () => {
  it('refuses what is no server, and wrong options', () => {
    assert.throws(() => guard({}), { code: 'ERR_INVALID_ARG_TYPE' });
    for (const options of [{ mode: 'on' }, { maxQueued: 0 }, { key: {} }, [], { refuse: 1 }]) {
      assert.throws(() => guard(http.createServer(), options), { code: 'ERR_INVALID_ARG_VALUE' });
    }
  });
});
