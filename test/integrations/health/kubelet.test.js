'use strict';

// serveHealth() beside a program that asks as a kubelet does by the manifest of the shop, and kills
// a server after three failures: whom it kills, and whom it would kill if the server answered on
// its own thread.
// @lane slow waiting
// @host programs

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { attack } = require('../../helpers/hostile-clients.js');
const { FIXTURES, LIMIT, ROOT, mapSome, nodes } = require('../../helpers/loop.js');

const PROGRAM = path.join(FIXTURES, 'health.js');

const MANIFEST = path.join(ROOT, 'examples', 'shop', 'deploy', 'kubernetes.yaml');
const PROBES = Object.fromEntries(Array.from(
  fs.readFileSync(MANIFEST, 'utf8').matchAll(
    /(\w+)Probe:\s+httpGet: \{ path: (\S+), [^]*?failureThreshold: (\d+)/g),
  ([, name, place, failures]) => [name, { place, failures: Number(failures) }],
));
const FAILURES = PROBES.liveness.failures;

const PATHS = { '/live': /^(ok|busy)$/, '/ready': /^ok$/, '/metrics': /^uv_scheduler_tasks_/m };

// In ms. A busy machine must not make the answers of our thread late; those of a thread that
// computes never come.
const TIMEOUTS = { ours: LIMIT, plain: 300 };
const NEVER = 1e9;
const SOON = 300;
const PAUSE = 10;

// Requests that keep a server busy for longer than its kubelet waits.
const WORK = 300;

async function get(url, { timeout = LIMIT, headers } = {}) {
  const request = http.get(url, { agent: false, timeout, headers });
  request.on('timeout', () => request.destroy(new Error('timeout')));
  const [response] = await once(request, 'response');
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return { status: response.statusCode, text, headers: response.headers };
}

class Pod {
  answers = [];
  #failures = 0;

  constructor(node, ...args) {
    this.child = spawn(node.path, [PROGRAM, ...args], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.ended = once(this.child, 'close');
  }

  async start() {
    const [plain, ours] = (await this.nextLine()).split(' ');
    this.urls = { ours, plain };
  }

  async nextLine() {
    const [line] = await once(this.child.stdout.setEncoding('utf8'), 'data');
    return line.trim();
  }

  // Sends a request that keeps the thread busy. Waits until it does, if it is one for all others.
  async begin(way) {
    this.answer = get(`${this.urls.plain}/${way}`).catch(() => {});
    if (way !== 'work') assert.equal(await this.nextLine(), 'busy');
  }

  endBlock() {
    this.child.stdin.write('x');
    return this.answer;
  }

  get isKilled() {
    return this.child.killed;
  }

  // One probe. Returns its answer.
  async probe(whose, timeout = TIMEOUTS[whose]) {
    const { status, text } = await get(this.urls[whose] + PROBES.liveness.place, { timeout })
      .catch(({ message }) => ({ text: message }));
    this.answers.push(text);
    this.#failures = status === 200 ? 0 : this.#failures + 1;
    if (this.#failures === FAILURES) this.child.kill('SIGKILL');
    await sleep(PAUSE);
    return text;
  }

  // Looks, without a kubelet.
  async until(pattern, place = '/live') {
    for (let text = ''; !pattern.test(text); await sleep(PAUSE)) {
      ({ text } = await get(this.urls.ours + place));
    }
  }

  async probeUntilKilled(whose) {
    while (!this.isKilled) await this.probe(whose);
    return this.answers.join();
  }

  async stop() {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

// Calls `work` with a server on each Node.
const eachPod = (args, work) => mapSome(nodes, async (node) => {
  const pod = new Pod(node, ...args);
  try {
    await pod.start();
    await work(pod, node);
  } finally {
    await pod.stop();
  }
});

describe('serveHealth() and a kubelet', function () {
  this.timeout(4 * LIMIT);

  const withPod = (title, args, work) => it(title, () => eachPod(args, work));

  withPod('leave a server that is blocked for less than stuckAfter', [NEVER], async (pod) => {
    await pod.begin('block');
    for (let i = 0; i < 2 * FAILURES; i++) assert.equal(await pod.probe('ours'), 'busy');
    assert.equal((await get(pod.urls.ours + PROBES.readiness.place)).text, 'ok');
    await pod.endBlock();
    await pod.until(/^ok$/);
    assert.equal(pod.isKilled, false);
  });

  withPod('leave a server that is stuck at one probe, and not at the next', [SOON], async (pod) => {
    await pod.begin('block');
    await pod.until(/^stuck/);
    assert.equal(await pod.probe('ours'), 'stuck');
    assert.equal((await get(pod.urls.ours + PROBES.readiness.place)).text, 'stuck');
    await pod.endBlock();
    for (let i = 0; i < FAILURES; i++) assert.match(await pod.probe('ours'), /^(ok|busy)$/);
    assert.equal(pod.isKilled, false);
  });

  withPod('leave a saturated server', [NEVER], async (pod) => {
    for (let i = 0; i < WORK; i++) await pod.begin('work');
    for (let i = 0; i < 2 * FAILURES; i++) assert.match(await pod.probe('ours'), /^(ok|busy)$/);
    assert.equal((await get(pod.urls.ours + PROBES.readiness.place)).text, 'ok');
    assert.equal(pod.isKilled, false);
  });

  for (const way of ['loop', 'microtasks']) {
    const title = `kill a server that is stuck, with its stack: ${way}`;
    withPod(title, [SOON, 'report'], async (pod) => {
      await pod.begin(way);
      await pod.until(RegExp(`^stuck\nstuck for .*\n(.*\n)* {4}at .*${way}`));
      assert.match(await pod.probeUntilKilled('ours'), /^stuck[^]*(,stuck[^]*){2}$/);
    });
  }

  withPod('kill a stopped server, and do not take it for stuck later', [SOON], async (pod) => {
    pod.child.kill('SIGSTOP');
    await sleep(2 * SOON);
    pod.child.kill('SIGCONT');
    assert.match(await pod.probe('ours'), /^(ok|busy)$/);
    while (!pod.isKilled) {
      pod.child.kill('SIGSTOP');
      await pod.probe('ours', SOON);
    }
  });

  // For comparison.
  for (const way of ['block', 'work', 'loop', 'microtasks']) {
    withPod(`would kill a server that answers on its thread: ${way}`, [NEVER], async (pod) => {
      for (let i = 0; i < (way === 'work' ? WORK : 1); i++) await pod.begin(way);
      await pod.probeUntilKilled('plain');
    });
  }

  withPod('answer behind clients that behave badly', [NEVER], async (pod) => {
    const { refused, statuses } = await attack(pod.urls.ours, { pages: Object.keys(PATHS) });
    assert.equal(refused, 0);
    assert.ok(statuses[400] > 0);
    for (const [place, pattern] of Object.entries(PATHS)) await pod.until(pattern, place);
    assert.equal(pod.child.exitCode, null);
  });

  withPod('have the last metrics of a busy thread, with their age', [NEVER], async (pod) => {
    const ageIn = ({ text }) => Number(/^uv_scheduler_snapshot_age_seconds (.*)$/m.exec(text)[1]);
    const metrics = () => get(`${pod.urls.ours}/metrics`);
    await pod.until(PATHS['/metrics'], '/metrics');
    await pod.begin('block');
    const [one, other] = [await metrics(), await metrics()];
    assert.match(other.text, PATHS['/metrics']);
    assert.ok(ageIn(other) > ageIn(one) && ageIn(one) > 0);
    assert.equal(other.headers.age, `${Math.floor(ageIn(other))}`);
    assert.match(other.headers['content-type'], /^text\/plain; version=/);
  });
});
