'use strict';

// `npm run pictures`: makes the pictures of docs/ that show programs on a screen, in Chromium. The
// programs run for real, so no two pictures are the same. Arguments are the names of some of them.

require('./setup/check-node');
const path = require('node:path');
const { prepare } = require('./setup');
const { checkName } = require('./setup/arguments');
const npm = require('./setup/npm');
const { ROOT, runMain, say } = require('./setup/process');
const system = require('./setup/system');

const BROWSER = path.join(ROOT, 'test', 'ecosystem', 'browser');
const PICTURES = ['scheduler-page', 'trace'];

runMain(async () => {
  const wanted = process.argv.slice(2);
  for (const name of wanted) checkName('picture', name, PICTURES);
  await prepare();
  await npm.install(BROWSER, 'packages for test/ecosystem/browser');
  system.prepare('chromium');
  const { launch } = require(path.join(ROOT, 'test', 'helpers', 'chromium'));
  const browser = await launch();
  try {
    for (const name of PICTURES) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      say(`taking docs/${name}.png …`);
      const take = require(`./pictures/${name}`);
      await take(browser, path.join(ROOT, 'docs', `${name}.png`));
    }
  } finally {
    await browser.close();
  }
  return 0;
});
