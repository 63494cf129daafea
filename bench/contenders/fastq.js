'use strict';

// fastq as a contender: a queue of promises whose one worker runs the task. It has no priorities,
// and never leaves the callback it is in: its tasks follow each other in microtasks.

const fastq = require('fastq');

const queue = fastq.promise(async (task) => task(), 1);

module.exports = {
  post: (task) => queue.push(task),
  yield: () => queue.push(() => {}),
};
