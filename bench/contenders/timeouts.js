'use strict';

// Node's timers as contenders for delayed tasks, promised by timers/promises and by hand.

const { setTimeout: timeout } = require('node:timers/promises');

const promised = {
  delayed: (task, delay) => timeout(delay).then(task),
};

const bare = {
  delayed: (task, delay) => new Promise((resolve) => setTimeout(() => resolve(task()), delay)),
};

module.exports = { bare, promised };
