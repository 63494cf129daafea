'use strict';

// The jobs of the fleet: each turns some documents into files, the page and a shard of the search
// index. A job whose files are there already writes them again, with the same content, so that one
// that is run twice does no harm.

const fs = require('node:fs/promises');
const path = require('node:path');

const MiniSearch = require('minisearch');

const { scheduler, shouldYield } = require('uv-scheduler');

const { plainText } = require('../docs-site/markdown');

// Adding this much text to an index takes about a tenth of a millisecond.
const PIECE = 600;

// So many pieces make a part of a shard: turning a whole index into text cannot be interrupted.
const PIECES_OF_PART = 10;

async function renderPage(site, doc) {
  let html = `<!doctype html><title>${doc.package}</title>\n`;
  for (let i = 0; i < doc.sections.length; i++) {
    for (const piece of site.piecesOf(doc, i)) {
      html += piece;
      if (shouldYield()) await scheduler.yield();
    }
  }
  return html;
}

async function indexPage(doc) {
  let shard = '';
  let engine = null;
  let id = 0;
  const endPart = () => {
    if (engine !== null) shard += `${JSON.stringify(engine)}\n`;
    engine = new MiniSearch({ fields: ['title', 'text'], storeFields: ['url', 'title'] });
  };
  for (const { parts, title, slug } of doc.sections) {
    const source = parts.join('');
    for (let at = 0; at < source.length; at += PIECE) {
      if (id % PIECES_OF_PART === 0) endPart();
      const text = plainText(source.slice(at, at + PIECE));
      engine.add({ id: id++, title: at === 0 ? title : '', text, url: `${doc.url}#${slug}` });
      if (shouldYield()) await scheduler.yield();
    }
  }
  endPart();
  return shard;
}

/** Returns the processor of the jobs of a server with that site. */
function createProcessor(site, folder) {
  return async ({ id, data }) => {
    let shard = '';
    for (const number of data.documents) {
      const doc = site.documents[number];
      const html = await renderPage(site, doc);
      shard += await indexPage(doc);
      await fs.writeFile(path.join(folder, `${number}.html`), html);
      // After an await of I/O, code runs in the callback of that I/O.
      await scheduler.yield();
    }
    await fs.writeFile(path.join(folder, `shard-${data.documents.join('-')}.json`), shard);
    // One line for each run to its end.
    await fs.appendFile(path.join(folder, 'done'), `${id}\n`);
  };
}

module.exports = { createProcessor };
