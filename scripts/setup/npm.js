'use strict';

// Installs the packages of a folder unless its node_modules matches its package-lock.json.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, SetupError, say, succeedsBeside } = require('./process');

function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}

// npm writes node_modules/.package-lock.json as the last step of an install, so an interrupted
// install has none. It lists the installed packages, without optional ones of other platforms.
function isCurrent(folder) {
  const wanted = readJson(path.join(folder, 'package-lock.json'));
  const present = readJson(path.join(folder, 'node_modules', '.package-lock.json'));
  if (!wanted || !present) return false;
  return Object.entries(wanted.packages).every(([place, entry]) => {
    // The folder itself, and what a link leads to, are not installed.
    if (!place.startsWith('node_modules/')) return true;
    const found = present.packages[place];
    if (!found) return entry.optional === true;
    return found.version === entry.version && found.integrity === entry.integrity
      && fs.existsSync(path.join(folder, place, 'package.json'));
  });
}

// Returns the npm that runs this script, if any, as `npm` is no program on Windows, with arguments.
function npmCommand(...args) {
  const cli = process.env.npm_execpath ?? '';
  return /npm-cli\.c?js$/.test(cli) ? [process.execPath, cli, ...args] : ['npm', ...args];
}

// `platform` is { os, cpu } of packages for another one. Several folders can be installed at once,
// with a `priority` below that of tests beside them.
async function install(folder, what, { force = false, platform, priority } = {}) {
  if (!force && isCurrent(folder)) return;
  say(`installing ${what} (npm ci) …`);
  // The user's settings (NODE_ENV=production, omit=dev) must not leave out what set-up needs.
  // No package here needs its install script; the flag makes sure that none will.
  // With --prefer-offline, npm does not ask the registry again for packages in its cache.
  const [command, ...args] = npmCommand(
    'ci', '--prefix', folder, '--include=dev', '--include=optional', '--ignore-scripts',
    '--prefer-offline', '--loglevel=error', '--no-audit', '--no-fund',
  );
  if (platform) args.push(`--os=${platform.os}`, `--cpu=${platform.cpu}`);
  if (!(await succeedsBeside(command, args, { cwd: folder, priority }))) {
    const place = path.relative(ROOT, folder) || '.';
    throw new SetupError(
      `npm could not install ${what}; its own message is above.\n` +
        'Check that the npm registry is reachable (npm ping) and that package.json and\n' +
        `package-lock.json agree, then try it by hand: npm ci --prefix ${place}`,
    );
  }
}

module.exports = { install, npmCommand, readJson };
