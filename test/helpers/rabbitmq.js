'use strict';

// Owns the broker of tests, RabbitMQ: a process with free ports and a folder of its own.

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { ExampleServer } = require('./example-servers.js');
const { freePort } = require('../../examples/fleet/redis.js');
const { prepare } = require('../../scripts/setup/system');

const HOST = '127.0.0.1';

// Installs it, unless it is there.
const prepareRabbitMQ = () => prepare('rabbitmq');

// Calls `use(url)` with the address of a RabbitMQ.
async function withRabbitMQ(use) {
  const program = prepareRabbitMQ();
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
  let server;
  try {
    server = await ExampleServer.start('rabbitmq', options);
    return await use(`amqp://${HOST}:${port}`);
  } finally {
    await server?.kill();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

module.exports = { prepareRabbitMQ, withRabbitMQ };
