'use strict';

// Owns the line on standard error that tells how far a run is. Knows nothing of its steps but their
// number and what each is called.

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
