'use strict';

// Node's timers as contenders for delayed tasks: timers/promises, and handmade promises.

const { setTimeout: timeout } = require('node:timers/promises');

const promised = {
  delayed: (task, delay) => timeout(delay).then(task),
};

const bare = {
  delayed: (task, delay) => new Promise((resolve) => setTimeout(() => resolve(task()), delay)),
};

module.exports = { bare, promised };
