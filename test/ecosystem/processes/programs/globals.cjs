'use strict';

// Prints the order of tasks on the globals of register, which the process has preloaded.

require('./tasks.cjs').runTasks().then(console.log);
