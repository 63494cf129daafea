'use strict';

// Owns the brokers of tests, each a process with a free port and a folder of its own: RabbitMQ, and
// the mock cluster of librdkafka, which speaks Kafka's protocol.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ExampleServer } = require('./example-servers.js');
const { freePort } = require('../../examples/fleet/redis.js');
const { prepare } = require('../../scripts/setup/system');

const HOST = '127.0.0.1';

// Calls `use(server)` while a broker runs.
async function whileRunning(name, options, use) {
  const server = await ExampleServer.start(name, options);
  try {
    return await use(server);
  } finally {
    await server.kill();
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
  // Without this port mapper, Erlang starts one that outlives it.
  const args = ['-c', `epmd & exec ${program}`];
  const address = /completed with \d+ plugins/;
  const options = { node: 'sh', args, env, cwd: folder, address, isGroup: true };
  try {
    return await whileRunning('rabbitmq', options, () => use(`amqp://${HOST}:${port}`));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// Calls `use(address)` with the address of a broker of Kafka: kcat tells it when it debugs.
function withKafka(use) {
  const args = ['-C', '-bnone', '-tnone', '-Xtest.mock.num.brokers=1', '-Xdebug=mock'];
  const address = /(?<=bootstrap\.servers=)\S+/;
  const options = { node: prepare('kafka'), args, cwd: __dirname, address };
  return whileRunning('kafka', options, ({ url }) => use(url));
}

// Installs both, unless they are there.
function prepareBrokers() {
  for (const name of ['rabbitmq', 'kafka']) prepare(name);
}

module.exports = { prepareBrokers, withKafka, withRabbitMQ };
