'use strict';

// Next.js as next.test.js runs it: an application with the package installed, its builds, and the
// servers that are started from them.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const path = require('node:path');
const { setTimeout: delay } = require('node:timers/promises');
const { MODULES } = require('./index.js');
const { install } = require('../../helpers/packed.js');

const BIN = path.join('node_modules', 'next', 'dist', 'bin', 'next');
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
// Next.js behaves differently if these are set.
for (const name of ['NODE_ENV', 'CI']) delete env[name];

// Slow machines need some seconds to start a server.
const PATIENCE = 60_000;
const PAUSE = 100;

// The names of a package's dependencies and of theirs, as npm has installed them: all in one
// folder. Packages for other platforms are not there.
function withDependencies(name, found = new Set()) {
  const manifest = path.join(MODULES, name, 'package.json');
  if (found.has(name) || !fs.existsSync(manifest)) return found;
  found.add(name);
  const { dependencies, optionalDependencies } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
    withDependencies(next, found);
  }
  return found;
}

// Next.js follows no symbolic link out of the application, so its files are linked one by one, or
// copied where the folders are on different file systems.
function link(source, target) {
  for (const entry of fs.readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [source, target].map((folder) => path.join(folder, entry.name));
    if (entry.isDirectory()) {
      fs.mkdirSync(to, { recursive: true });
      link(from, to);
    } else {
      try {
        fs.linkSync(from, to);
      } catch {
        fs.copyFileSync(from, to);
      }
    }
  }
}

// Makes the application in a folder.
function makeApp(folder) {
  fs.cpSync(path.join(__dirname, 'next-app'), folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  install(folder);
  for (const name of ['next', 'react', 'react-dom']) {
    for (const dependency of withDependencies(name)) {
      const target = path.join(folder, 'node_modules', dependency);
      if (fs.existsSync(target)) continue;
      fs.mkdirSync(target, { recursive: true });
      link(path.join(MODULES, dependency), target);
    }
  }
}

function start(args, options) {
  const child = spawn(process.execPath, args, options);
  const ended = new Promise((resolve) => child.on('close', resolve));
  const result = { child, ended, output: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => (result.output += text));
  }
  return result;
}

// Builds the application with turbopack or webpack and the line in its configuration, into a folder
// that the result names, and that has a standalone server in it. Only with `cacheComponents` it may
// have the page `/cached`, and only without what `edge` names of its folder `edge`.
async function build(folder, { bundler, line = '', cacheComponents = false, edge }) {
  const distDir = `.next-${bundler}${line === '' ? '' : '-external'}`;
  const options = { output: 'standalone', distDir, cacheComponents };
  const config = `export default { ...${JSON.stringify(options)}, ${line} };\n`;
  fs.writeFileSync(path.join(folder, 'next.config.mjs'), config);
  const cached = path.join(folder, 'app', 'cached');
  if (!cacheComponents) fs.rmSync(cached, { recursive: true, force: true });
  else fs.cpSync(path.join(folder, 'cached.jsx'), path.join(cached, 'page.jsx'));
  const onEdge = path.join(folder, 'app', 'edge');
  fs.rmSync(onEdge, { recursive: true, force: true });
  if (edge) fs.cpSync(path.join(folder, 'edge', edge), path.join(onEdge, edge));
  const run = start([BIN, 'build', `--${bundler}`], { cwd: folder, env });
  const code = await run.ended;
  if (code !== 0 || /with warnings|Module not found/.test(run.output)) throw new Error(run.output);
  return path.join(folder, distDir);
}

// Returns a port that nothing uses.
async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// Starts a server, and calls `work` with a function that resolves to the body for a path, whose
// status must be 200 or the one that is given, and with the origin. Without a script, this is `next
// start`. Resolves to what the server has printed. `variables` are added to its environment.
async function serve(cwd, script, work, variables = {}) {
  const port = String(await freePort());
  const args = script === undefined ? [BIN, 'start', '--port', port] : [script];
  const own = { ...env, PORT: port, HOSTNAME: '127.0.0.1', ...variables };
  const run = start(args, { cwd, env: own });
  const origin = `http://127.0.0.1:${port}`;
  let isRunning = true;
  run.ended.then(() => (isRunning = false));
  const deadline = performance.now() + PATIENCE;
  const answer = async (name) => {
    for (;;) {
      try {
        return await fetch(`${origin}${name}`);
      } catch (error) {
        if (!isRunning || performance.now() > deadline) throw error;
        await delay(PAUSE);
      }
    }
  };
  const get = async (name, status = 200) => {
    const response = await answer(name);
    const body = await response.text();
    assert.equal(response.status, status, name);
    return body;
  };
  try {
    await work(get, origin);
    return run.output;
  } catch (cause) {
    throw new Error(`the server has said: ${run.output}`, { cause });
  } finally {
    run.child.kill();
    await run.ended;
  }
}

module.exports = { build, makeApp, serve };
