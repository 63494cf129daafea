'use strict';

// The process that measures rows of one case. It answers each message of the parent with the
// result. Its arguments are the name of the case and whether the run is a quick one.

const { allCases } = require('./cases/index.js');
const { collect } = require('../garbage.js');

const [name, quick] = process.argv.slice(2);

const { measure, close } = allCases({ quick: quick === 'quick' }).find((one) => one.name === name);

async function answer({ row, isWarmUp }) {
  try {
    collect();
    return { result: await measure(row, { isWarmUp }) };
  } catch (error) {
    return { error: error instanceof Error ? error.stack : String(error) };
  }
}

process.on('message', async (message) => {
  const answered = await answer(message);
  if (process.connected) process.send(answered);
});

// The parent has finished or died.
process.on('disconnect', async () => {
  await close?.();
  process.exit();
});
