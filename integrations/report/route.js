'use strict';

// Names work: requests by their routes, other work as the program says.

const { AsyncLocalStorage } = require('node:async_hooks');
const { isProbe } = require('../guard/probes.js');
const { time, webidl } = require('../internal.js');
const { Routes, pathOf } = require('../routes.js');

const NAME = new webidl.Parameter("'labelWork'", 'the argument name');
const WORK = new webidl.Parameter("'labelWork'", 'the argument callback');

const LONGEST = 120;

class WorkName {
  constructor(name) {
    this.name = name;
  }
}

// Undefined until a report runs and work is named: before Node 24, each promise takes time for it.
let storage;
let reports = 0;

// Calls `callback()`, and returns its result. While a report runs, it names what the callback does,
// also behind an `await`.
function labelWork(name, callback) {
  const work = webidl.toString(name, NAME).slice(0, LONGEST);
  webidl.toFunction(callback, WORK);
  if (reports === 0) return callback();
  storage ??= new AsyncLocalStorage();
  return storage.run(new WorkName(work), callback);
}

class Names {
  #routes = new Routes();

  begin() {
    reports++;
  }

  end() {
    if (--reports > 0) return;
    storage?.disable();
    storage = undefined;
  }

  // The name that the program has given to the work under way.
  current() {
    return storage?.getStore();
  }

  // Of a request, or of work that has a name.
  nameOf({ name, method, url }) {
    return name ?? this.#routes.nameOf(method, pathOf(url), time.now());
  }
}

function isHealthCheck(route) {
  const [method, path] = route.split(' ', 2);
  return isProbe(method, path);
}

module.exports = { Names, isHealthCheck, labelWork };
