'use strict';

// `npm run check miri`: runs the core's tests under Miri, which finds undefined behaviour and reads
// of uninitialized memory. Miri interprets every instruction, so the tests try fewer random cases.
// It needs a nightly toolchain with Miri; `MIRI_TOOLCHAIN` names one other than `nightly`.

const { SetupError, output, say, succeeds } = require('../setup/process');

const toolchain = process.env.MIRI_TOOLCHAIN || 'nightly';

module.exports = () => {
  if (output('cargo', [`+${toolchain}`, 'miri', '--version']) === null) {
    throw new SetupError(
      `Miri was not found for the toolchain ${toolchain}. Install it:\n` +
        '  rustup toolchain install nightly --component miri,rust-src',
    );
  }
  // Proptest reads the time and the current folder.
  const env = { SIMULATION_DEPTH: '1', ...process.env, MIRIFLAGS: '-Zmiri-disable-isolation' };
  say('running the tests of the core under Miri …');
  const args = [`+${toolchain}`, 'miri', 'test', '-p', 'uv-scheduler-core', '--no-fail-fast'];
  const isSound = succeeds('cargo', args, { env });
  say(isSound ? 'Miri found nothing' : 'Miri found something; its own message is above');
  return isSound ? 0 : 1;
};
