'use strict';

// Prints the progress of a run on standard error, from the number of its steps and the name of
// each.

function createProgress(total) {
  const tty = process.stderr.isTTY;
  let done = 0;
  return {
    step(text) {
      done += 1;
      const percent = String(Math.floor((done - 1) / total * 100)).padStart(3);
      process.stderr.write(tty ? `\r\x1b[K${percent} %  ${text}` : `${percent} %  ${text}\n`);
    },
    end() {
      if (tty) process.stderr.write('\r\x1b[K');
    },
  };
}

module.exports = { createProgress };
