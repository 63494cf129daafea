'use strict';

// `npm start`: set-up, then the main job with the arguments as given. It does not know what the
// main job does.

require('./setup/check-node');
const { spawn } = require('node:child_process');
const os = require('node:os');
const path = require('node:path');
const { ROOT, runMain } = require('./setup/process');
const { prepare } = require('./setup');

const MAIN = path.join(ROOT, 'examples', 'docs-site', 'main.js');

function runJob(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: 'inherit' });
    // The job decides when to stop. A terminal sends Ctrl-C to both processes, so only the
    // signal that is sent to this process alone is passed on.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(signal ? 128 + os.constants.signals[signal] : code);
    });
  });
}

runMain(() => {
  prepare();
  return runJob(process.argv.slice(2));
});
