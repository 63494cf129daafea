'use strict';

// CONTRIBUTING.md: which commands there are, and where each guarantee is tested; the concepts; and
// no file names a command that there is not.
// @host any

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { scripts } = require('../../package.json');
const { ROOT, read } = require('../helpers/docs.js');

const CONTRIBUTING = 'CONTRIBUTING.md';
const REFERENCE = 'docs/reference.md';
// npm runs these itself.
const OF_NPM = ['prepack', 'postpack'];

// The rows of the first table below a heading, each as its cells, without the head of the table.
function rowsBelow(text, heading) {
  const [, after] = text.split(`\n## ${heading}\n`);
  const [table] = /(?:^\|.*\n)+/m.exec(after);
  const lines = table.trimEnd().split('\n').slice(2);
  return lines.map((line) => line.slice(1, -1).split('|').map((cell) => cell.trim()));
}

// Folders that tools have made or installed.
const MADE = ['artifacts', 'build', 'corpus', 'dist', 'node_modules', 'npm', 'target'];

// Files that can name a command: sources, documents and manifests of packages.
const SOURCE = /(?:\.(?:[cm]?js|md|toml|yml|rs)|package\.json)$/;

// Those below a folder of the repository.
function sourcesIn(folder) {
  const entries = fs.readdirSync(path.join(ROOT, folder), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const place = path.posix.join(folder, entry.name);
    if (entry.isFile()) return SOURCE.test(place) ? [place] : [];
    const isOurs = !entry.name.startsWith('.') || entry.name === '.github';
    return entry.isDirectory() && isOurs && !MADE.includes(entry.name) ? sourcesIn(place) : [];
  });
}

describe(CONTRIBUTING, () => {
  const text = read(CONTRIBUTING);

  it('has every command', () => {
    const commands = rowsBelow(text, 'Commands').map(([command]) => command).join('\n');
    const names = Object.keys(scripts).filter((name) => !OF_NPM.includes(name));
    const asTyped = (name) => (['start', 'test'].includes(name) ? name : `run ${name}`);
    assert.deepEqual(names.filter((name) => !commands.includes(`\`npm ${asTyped(name)}`)), []);
  });

  // The names behind a command are those that it lists when it is given a wrong one.
  for (const [script, command] of [['check', 'npm run check'], ['bench', 'npm run bench']]) {
    it(`has every name of ${command}`, () => {
      const args = [path.join(ROOT, 'scripts', `${script}.js`), 'none'];
      const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      assert.equal(status, 1, stderr);
      const names = /These are there: (.*)/.exec(stderr)[1].split(', ');
      const [, list] = text.split(`\n\`${command} NAME\``);
      const [items] = /(?:^(?:- | {2}).*\n)+/m.exec(list);
      const found = Array.from(items.matchAll(/(?<=^- .*)`(\w+)`(?=.*?:)/gm), ([, name]) => name);
      assert.deepEqual(found.sort(), names.sort());
    });
  }

  it('says of each guarantee where it is tested, in Rust and in JavaScript', () => {
    const rows = rowsBelow(text, 'Tests of a guarantee');
    const guarantees = rowsBelow(read(REFERENCE), 'What runs when').map(([name]) => name);
    const names = rows.map(([name]) => name);
    assert.deepEqual(names, guarantees);
    const filesOf = (cell) => Array.from(cell.matchAll(/\]\((.*?)\)/g), ([, file]) => file);
    for (const [name, rust, js] of rows) {
      const [inRust, inJs] = [filesOf(rust), filesOf(js)];
      assert.ok(inRust.length > 0 || rust.startsWith('– ('), name);
      assert.ok(inJs.length > 0, name);
      assert.ok(inRust.every((file) => file.startsWith('core/')), name);
      assert.ok(inJs.every((file) => /^test\/.*\.test\.js$/.test(file)), name);
      const missing = [...inRust, ...inJs].filter((file) => !fs.existsSync(path.join(ROOT, file)));
      assert.deepEqual(missing, [], name);
    }
  });
});

describe('docs/concepts.md', () => {
  const text = read('docs/concepts.md');

  it('has at most 38 concepts of what runs next and 16 of refusals, each with its file', () => {
    const most = { 'What runs next': 38, 'When a request is refused': 16 };
    for (const [heading, count] of Object.entries(most)) {
      const items = text.split(`\n## ${heading}\n`)[1].split('\n## ')[0].split('\n- ').slice(1);
      assert.ok(items.length <= count, `${heading}: ${items.length}`);
      assert.deepEqual(items.filter((item) => !item.includes('](../')), []);
    }
  });

  it('has each file that decides', () => {
    const folders = {
      'core/src': ['event_loop.rs', 'heap.rs', 'lib.rs', 'protocol.rs'],
      'integrations/http/admission': ['answer.js', 'counts.js', 'options.js', 'pass-through.js',
        'route-table.js'],
    };
    const missing = Object.entries(folders).flatMap(([folder, others]) => {
      return fs.readdirSync(path.join(ROOT, folder))
        .filter((file) => file.includes('.') && !others.includes(file))
        .filter((file) => !text.includes(`](../${folder}/${file})`));
    });
    assert.deepEqual(missing, []);
  });
});

// The commands that a file can name: the repository's, and its own package's if that is an example.
function scriptsOf(file) {
  const [folder, example] = file.split('/');
  const place = path.join(ROOT, folder, example ?? '', 'package.json');
  if (folder !== 'examples' || !fs.existsSync(place)) return scripts;
  return { ...scripts, ...JSON.parse(fs.readFileSync(place, 'utf8')).scripts };
}

describe('the files of the repository', () => {
  it('name only commands that there are', () => {
    const unknown = sourcesIn('').flatMap((file) => {
      const named = read(file).matchAll(/npm run ([a-z][\w:-]*)/g);
      const known = scriptsOf(file);
      return Array.from(named, ([, name]) => name).filter((name) => known[name] === undefined)
        .map((name) => `${file}: ${name}`);
    });
    assert.deepEqual(unknown, []);
  });
});
