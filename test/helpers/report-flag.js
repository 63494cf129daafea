'use strict';

// Runs programs with uv-scheduler/report and reads what it writes.

const assert = require('node:assert/strict');
const { once } = require('node:events');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { ROOT, nodes, run } = require('./loop.js');

// In the folder of the package its own public name finds it.
const FLAG = 'uv-scheduler/report';
const OURS = /^(?:\[uv-scheduler \d+(?::\d+)?\]| {2}).*\n/gm;
// On a machine that stands still for long, any program is.
const STUCK = /^uv-scheduler: stuck for .*\n(?: +at .*\n)*/gm;

// Runs a program with the flag. Returns its result with the content of its JSON files, the main
// thread's first.
async function reportOn(node, folder, args, settings = {}) {
  const { flags = ['--import', FLAG], env = {}, ...more } = settings;
  const own = { UV_SCHEDULER_REPORT_FILE: path.join(folder, 'report.json'), ...env };
  const result = await run(node, [...flags, ...args], {
    cwd: ROOT, env: { ...process.env, ...own }, ...more,
  });
  const names = fs.readdirSync(folder).filter((name) => name.startsWith('report.')).sort();
  const files = names.map((name) => {
    const file = path.join(folder, name);
    const content = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.rmSync(file);
    return content;
  });
  return { ...result, files };
}

// Calls `work(node)` for each Node, and names it in a failure.
async function onEachNode(work, on = nodes) {
  for (const node of on) {
    try {
      await work(node);
    } catch (error) {
      error.message = `Node ${node.version}: ${error.message}`;
      throw error;
    }
  }
}

// Most time went in a function of this name, in this file. Returns its entry.
function assertFirst({ places: [first] }, functionName, file) {
  assert.equal(first?.functionName, functionName, JSON.stringify(first));
  assert.equal(first.file, file);
  return first;
}

const lineAbout = (name) => new RegExp(`blocked for [\\d,]+ ms by ${name} \\([^)]*:\\d+\\)`);
const withoutOurs = (text) => text.replace(STUCK, '').replace(OURS, '');

// Calls `work(port, child)` once a server has printed its port, and then ends the server.
const withServer = (work) => (child) => {
  child.stdout.once('data', async (text) => {
    try {
      await work(Number.parseInt(text, 10), child);
    } finally {
      child.kill('SIGTERM');
    }
  });
};

// Resolves to the status of the answer.
async function post(port, body, headers = {}, path = '/') {
  const settings = { port, path, host: '127.0.0.1', method: 'POST', agent: false, headers };
  const request = http.request(settings);
  request.end(body);
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return response.statusCode;
}

module.exports = {
  FLAG, assertFirst, lineAbout, onEachNode, post, reportOn, withServer, withoutOurs,
};
