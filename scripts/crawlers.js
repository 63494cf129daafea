'use strict';

// `node scripts/crawlers.js`: makes integrations/guard/crawlers.js from the list of isbot. That has
// all that is no browser; these are its patterns of crawlers, which no person waits for.

const fs = require('node:fs');
const path = require('node:path');
const { list } = require('isbot');
const { version } = require('isbot/package.json');

const FILE = path.join(__dirname, '..', 'integrations', 'guard', 'crawlers.js');

const WORDS = [
  'archive', 'ask jeeves', 'attracta', 'bots?', 'crawl', ' daum', 'datanyze', ' deusu', 'exalead',
  '^facebook', 'google/', 'httrack', 'linkcheck', 'mail\\.ru', 'nutch', '^owler',
  'scrape', 'search', 'seznam', 'sogou', 'spider', '^webcopier', '^xenu', '^yandex', '^yahoo',
];

const isCrawler = (pattern) => WORDS.some((word) => pattern.replace(/[()]/g, '').includes(word));

const lines = list.filter(isCrawler).map((each) => `  String.raw\`${each}\`,`);
const date = new Date().toISOString().slice(0, 10);

fs.writeFileSync(FILE, `'use strict';

// The user agents of crawlers: patterns of isbot ${version}, of ${date}. Made by
// scripts/crawlers.js.

const CRAWLERS = new RegExp([
${lines.join('\n')}
].join('|'), 'i');

module.exports = { CRAWLERS };
`);
