'use strict';

// `npm run check valgrind`: runs set-up, then programs of test/ under valgrind, with an addon that
// has debug symbols. Errors and definite leaks count as faults if the addon is on their stack;
// those of Node alone do not.

const fs = require('node:fs');
const path = require('node:path');
const { ROOT, say, succeeds } = require('../setup/process');
const { runPrograms } = require('../setup/programs');

const TARGET = path.join(ROOT, 'target');
const OUTPUT = path.join(TARGET, 'valgrind');
const ADDON = path.join(OUTPUT, 'uv-scheduler.node');
const REPORT = path.join(OUTPUT, 'report.xml');

// Random programs; and workers that end in every state, the only users of the addon, which is
// unloaded with each wave of them. They end well whatever memory they leave.
const test = (...names) => path.join(ROOT, 'test', ...names);
const PROGRAMS = [
  { name: 'mix.js', args: [test('random-programs', 'mix.js'), '1', '0', '40', '300000'] },
  { name: 'workers.js', args: [test('soak', 'workers.js'), '36', 'Infinity'] },
];

// V8 writes machine code into memory at run time. Valgrind can follow V8 without its compiler and
// helper threads, and is then ten times faster.
const NODE_FLAGS = ['--jitless', '--single-threaded'];

const VALGRIND_FLAGS = [
  '--quiet',
  '--leak-check=full',
  '--show-leak-kinds=definite',
  // Many frames of a stack are Node's before one is the addon's.
  '--num-callers=60',
  // Node unloads the addon with the last environment that uses it.
  '--keep-debuginfo=yes',
  '--xml=yes',
  `--xml-file=${REPORT}`,
];

function texts(xml, tag) {
  return [...xml.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(([, text]) => text);
}

function unescape(text) {
  const characters = { amp: '&', gt: '>', lt: '<', apos: '\'', quot: '"' };
  return text.replace(/&(amp|gt|lt|apos|quot);/g, (_, name) => characters[name]);
}

const lineOf = (frame) =>
  `    ${texts(frame, 'fn')[0] ?? '?'} (${path.basename(texts(frame, 'obj')[0] ?? '?')})`;

// Returns one line for each frame, up to the addon's last one.
function describe(error) {
  const frames = texts(error, 'frame');
  const last = frames.findLastIndex((frame) => texts(frame, 'obj')[0] === ADDON);
  const [what] = [...texts(error, 'what'), ...texts(error, 'text')];
  return unescape([`  ${what}`, ...frames.slice(0, last + 1).map(lineOf)].join('\n'));
}

// Runs a program under valgrind. Returns true if it succeeded and the addon has no faults.
function run({ name, args: program, node, env }) {
  say(`${name} …`);
  const args = [...VALGRIND_FLAGS, node.path, ...NODE_FLAGS, ...program];
  fs.rmSync(REPORT, { force: true });
  const stdio = ['ignore', 'inherit', 'pipe'];
  if (!succeeds('valgrind', args, { env, stdio })) return false;
  const errors = texts(fs.readFileSync(REPORT, 'utf8'), 'error');
  const ours = errors.filter((error) => texts(error, 'obj').includes(ADDON));
  say(`${name}: ${ours.length} errors and leaks, and ${errors.length - ours.length} of Node's own`);
  for (const error of ours) say(describe(error));
  return ours.length === 0;
}

module.exports = (args) => {
  const addon = { how: 'debug symbols', target: TARGET, file: ADDON };
  const praise = 'valgrind finds no fault';
  const options = { programs: PROGRAMS, tool: 'valgrind', addon, run, praise };
  return runPrograms('valgrind', args, options);
};
