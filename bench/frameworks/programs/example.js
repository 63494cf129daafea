'use strict';

// The server of an example, which a build has made, with uv-scheduler or what the benchmark
// compares it with: `node example.js <variant> <example> <variables>`, with variables of the
// environment as JSON.

const diagnostics = require('node:diagnostics_channel');
const fs = require('node:fs');
const { registerHooks } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { announce } = require('./serve.js');
const { name: variant } = require('./variant.js');

// Next.js adds a hash to the name of a package that it leaves outside of a bundle.
const PACKAGE = /^uv-scheduler(?:-[0-9a-f]+)?(\/react)?$/;
const ENV_FILE = '--env-file=';

const standIn = (name) => pathToFileURL(path.join(__dirname, 'stand-ins', name)).href;

// A stand-in takes from the package what it does not replace.
function resolve(specifier, context, nextResolve) {
  const found = PACKAGE.exec(specifier);
  if (!found || context.parentURL?.startsWith(standIn(''))) return nextResolve(specifier, context);
  const url = standIn(found[1] === undefined ? 'index.mjs' : 'react.mjs');
  return { url, format: 'module', shortCircuit: true };
}

// The address of the server is known when it listens.
diagnostics.subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => announce(server));

// The lines of the server are not for the benchmark's output.
process.stdout.write = (text, ...others) => {
  others.find((other) => typeof other === 'function')?.();
  return true;
};

// The arguments of Node for what `npm start` runs in this folder: node, or a package's program.
function startArguments() {
  const read = (folder) => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const [program, ...args] = read('.').scripts.start.split(' ');
  if (program === 'node') return args;
  const folder = path.join('node_modules', program);
  const { bin } = read(folder);
  return [path.join(folder, bin[program] ?? bin), ...args];
}

async function start(name, variables) {
  process.chdir(path.join(__dirname, '..', '..', '..', 'examples', name));
  Object.assign(process.env, { HOST: '127.0.0.1', PORT: '0', ...JSON.parse(variables) });
  const [file, ...args] = startArguments().filter((argument) => {
    if (!argument.startsWith(ENV_FILE)) return true;
    process.loadEnvFile(argument.slice(ENV_FILE.length));
    return false;
  });
  const program = require.resolve(path.resolve(file));
  process.argv = [process.execPath, program, ...args];
  if (variant !== 'uv-scheduler') registerHooks({ resolve });
  await import(pathToFileURL(program));
}

start(...process.argv.slice(3));
