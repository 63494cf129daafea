'use strict';

// The server process of an open loop. Its argument are its options: the path of a module, and what
// its createContender() makes a server from.

const { readOptions, serve } = require('./server');

const { contenders, options } = readOptions();
Promise.resolve(require(contenders).createContender(options)).then((server) => serve(server));
