'use strict';

// Owns the brokers of tests, each a process with a free port and a folder of its own: RabbitMQ, and
// the mock cluster of librdkafka, which speaks Kafka's protocol.

const { spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { LIMIT } = require('./programs.js');
const { freePort } = require('../../examples/fleet/redis.js');
const { prepare } = require('../../scripts/setup/system');

const HOST = '127.0.0.1';
const PAUSE = 50;

// Calls `use(said)` while a command of the shell runs. `said(pattern)` resolves to what it printed.
async function whileRunning(command, env, use) {
  // In a group of its own, as RabbitMQ starts programs, too.
  const child = spawn('sh', ['-c', command], { env: { ...process.env, ...env }, detached: true });
  const ended = once(child, 'close');
  let output = '';
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => (output += text));
  }
  const said = async (pattern) => {
    for (const end = performance.now() + LIMIT; performance.now() < end; await delay(PAUSE)) {
      const found = pattern.exec(output);
      if (found) return found;
      if (child.exitCode !== null) break;
    }
    throw new Error(`${command} has not said ${pattern}:\n${output}`);
  };
  try {
    return await use(said);
  } finally {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
  }
}

// Calls `use(url)` with the address of a RabbitMQ.
async function withRabbitMQ(use) {
  const program = prepare('rabbitmq');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'uv-scheduler-rabbitmq-'));
  const port = await freePort();
  const plugins = path.join(folder, 'plugins');
  fs.writeFileSync(plugins, '[].');
  const env = {
    HOME: folder,
    ERL_EPMD_PORT: String(await freePort()),
    RABBITMQ_NODENAME: `uv-scheduler-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: HOST,
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(await freePort()),
    RABBITMQ_BASE: folder,
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_PID_FILE: path.join(folder, 'pid'),
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    RABBITMQ_CONFIG_FILE: path.join(folder, 'none'),
  };
  try {
    // Without this one, Erlang starts a port mapper that outlives it.
    return await whileRunning(`epmd & exec ${program}`, env, async (said) => {
      await said(/completed with \d+ plugins/);
      return use(`amqp://${HOST}:${port}`);
    });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// Calls `use(address)` with the address of a broker of Kafka: kcat tells it when it debugs.
function withKafka(use) {
  const options = '-C -b none -t none -X test.mock.num.brokers=1 -X debug=mock';
  return whileRunning(`exec ${prepare('kafka')} ${options}`, {}, async (said) => {
    const [, address] = await said(/bootstrap\.servers=(\S+)/);
    return use(address);
  });
}

// Installs both, unless they are there.
function prepareBrokers() {
  for (const name of ['rabbitmq', 'kafka']) prepare(name);
}

module.exports = { prepareBrokers, withKafka, withRabbitMQ };
