'use strict';

// The documents: every link in them leads somewhere, for a reader of the repository and for one of
// the published package; and what they list is what there is.
// @host any

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { EXTERNAL } = require('../../lib/loading/load-errors.js');
const { ENTRIES } = require('../../scripts/setup/bundle.js');
const { KINDS, linkTo } = require('../../integrations/report/place.js');
const { npmCommand } = require('../../scripts/setup/npm.js');
const { LIMIT } = require('../helpers/programs.js');
const { ROOT, codeBlocks, documents, read } = require('../helpers/docs.js');

const REPOSITORY = /^https:\/\/github\.com\/uv-scheduler\/uv-scheduler\/(?:blob|tree)\/main\//;
const ABSOLUTE = /^[a-z]+:/;
// `javascript` is a program that does not end by itself: it has a test of its own.
const LANGUAGES = ['js', 'mjs', 'cjs', 'ts', 'javascript', 'text', 'sh', 'json', 'diff'];
const MAX_COLUMNS = 100;

// All that a user or a contributor reads, without the results of benchmarks and the changes.
const PROSE = documents().filter((file) =>
  /^(README|CONTRIBUTING|docs\/[^/]+|examples\/README|test\/README)\.md$/.test(file));
const MAX_README_LINES = 145;
const MAX_README_WORDS = 900;
const MAX_WORDS = 24_000;
const REFERENCE = 'docs/reference.md';

// The files that npm publishes.
function publishedFiles() {
  const [command, ...first] = npmCommand();
  const args = [...first, 'pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const output = execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  const [{ files }] = Object.values(JSON.parse(output));
  return files.map((file) => file.path);
}

const isInRepository = (file) => fs.existsSync(path.join(ROOT, file));

describe('the documents', () => {
  const links = [];
  const headings = new Map();
  let published;

  before(async () => {
    published = publishedFiles();
    const { lexer, walkTokens } = await import('marked');
    const { default: GithubSlugger } = await import('github-slugger');
    for (const file of documents()) {
      const slugger = new GithubSlugger();
      headings.set(file, new Set());
      walkTokens(lexer(read(file)), (token) => {
        if (token.type === 'heading') headings.get(file).add(slugger.slug(token.text));
        if (token.type === 'link' || token.type === 'image') links.push({ file, to: token.href });
      });
    }
  }).timeout(LIMIT);

  // The file and the heading that a link within the repository leads to.
  function target({ file, to }) {
    const inRepository = to.replace(REPOSITORY, '');
    const [place, heading] = inRepository.split('#');
    if (inRepository !== to) return { place, heading };
    return { place: place === '' ? file : path.posix.join(path.dirname(file), place), heading };
  }

  const isRelative = ({ to }) => !ABSOLUTE.test(to);
  const isInside = (link) => isRelative(link) || REPOSITORY.test(link.to);

  it('that are published link to published files, and else by address', () => {
    const found = links.filter((link) => published.includes(link.file) && isRelative(link));
    assert.ok(found.length > 0);
    assert.deepEqual(found.filter((link) => !published.includes(target(link).place)), []);
  });

  it('link to files that the repository has', () => {
    const found = links.filter(isInside);
    assert.deepEqual(found.filter((link) => !isInRepository(target(link).place)), []);
  });

  it('link to headings that the other document has', () => {
    const found = links.filter(isInside).filter((link) => target(link).heading !== undefined);
    const isThere = ({ place, heading }) => headings.get(place)?.has(heading);
    assert.deepEqual(found.filter((link) => !isThere(target(link))), []);
  });

  it('have the sections that a report of slow work links to', () => {
    for (const kind of Object.keys(KINDS)) {
      const { place, heading } = target({ to: linkTo(kind) });
      assert.ok(headings.get(place)?.has(heading), `${place}#${heading}`);
    }
  });

  it('wait for a visitor that reads slowly in each loop that writes', () => {
    for (const file of PROSE) {
      for (const [loop] of read(file).matchAll(/for await \(.*pieces\([^]*?;$/gm)) {
        if (loop.includes('.write(')) assert.match(loop, /if \(!\w+\.write\(/, file);
      }
    }
  });

  it('are short: the README, its first lines, and all together', () => {
    const readme = read('README.md').split('\n');
    assert.ok(readme.length <= MAX_README_LINES + 1, `${readme.length} lines`);
    assert.ok(readme.slice(0, 15).some((line) => line.includes('--import uv-scheduler/report')));
    assert.ok(readme.slice(0, 25).includes('npm install uv-scheduler'));
    const wordsIn = (file) => read(file).split(/\s+/).filter(Boolean).length;
    assert.ok(wordsIn('README.md') <= MAX_README_WORDS, `${wordsIn('README.md')} words`);
    const words = PROSE.map(wordsIn).reduce((sum, count) => sum + count);
    assert.ok(words <= MAX_WORDS, `${words} words`);
  });

  it('have `npm install` with each package that a program imports, above the program', () => {
    for (const file of PROSE) {
      const lines = read(file).split('\n');
      for (const { code, line } of codeBlocks(lines.join('\n'))) {
        const above = lines.slice(0, line).filter((each) => each.startsWith('npm install '));
        const installed = above.flatMap((each) => each.split(' ').slice(2));
        for (const [, name] of code.matchAll(/^import.* from '(?!node:)((?:@[^/']+\/)?[^/']+)/gm)) {
          const isInstalled = name === 'uv-scheduler' || installed.includes(name);
          assert.ok(isInstalled, `${file}, line ${line}: ${name}`);
        }
      }
    }
  });

  it('have blocks of code of known languages, at most 100 columns wide', () => {
    for (const file of documents()) {
      for (const { line, language, code } of codeBlocks(read(file))) {
        const place = `${file}, line ${line}`;
        assert.ok(LANGUAGES.includes(language), `${place}: ${language}`);
        const tooLong = code.split('\n').filter((text) => text.length > MAX_COLUMNS);
        assert.deepEqual(tooLong, [], place);
      }
    }
  });

  it('have every export in the reference', () => {
    const text = read(REFERENCE);
    const all = ENTRIES.flatMap(({ isInternal, exports: names }) => (isInternal ? [] : names));
    const names = all.filter((name) => name !== 'Scheduler');
    assert.deepEqual(names.filter((name) => !text.includes(name)), []);
  });

  it('have in the reference the settings that the error of a bundled package names', () => {
    const text = read(REFERENCE);
    assert.deepEqual(Object.values(EXTERNAL).filter((setting) => !text.includes(setting)), []);
  });
});
