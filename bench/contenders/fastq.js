'use strict';

// fastq as a contender: a queue of promises whose one worker runs the task. It has no priorities,
// and its tasks follow each other in microtasks, so it never leaves the current callback.

const fastq = require('fastq');

const queue = fastq.promise(async (task) => task(), 1);

module.exports = {
  post: (task) => queue.push(task),
  yield: () => queue.push(() => {}),
};
