'use strict';

// A worker thread that does background work, when its server says so.

const { parentPort, workerData } = require('node:worker_threads');

const { createBackground } = require('./background');
const { warmUp } = require('./work');

const { options, pieces, thread } = workerData;
warmUp(options.sizes);
const background = createBackground(options, pieces, thread);
parentPort.on('message', (command) => background[command]());
parentPort.postMessage('ready');
