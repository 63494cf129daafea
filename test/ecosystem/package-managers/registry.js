'use strict';

// A package registry on this machine that has the packed packages and nothing else.

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const { manifestOf } = require('../../helpers/packed.js');

// Package managers may refuse what was published only lately.
const PUBLISHED = '2024-01-01T00:00:00.000Z';

function metadataOf(name, tarball, url) {
  const manifest = manifestOf(tarball);
  const content = fs.readFileSync(tarball);
  const hash = (algorithm, encoding) => createHash(algorithm).update(content).digest(encoding);
  const { version } = manifest;
  const dist = {
    tarball: `${url}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
    shasum: hash('sha1', 'hex'),
    integrity: `sha512-${hash('sha512', 'base64')}`,
  };
  return {
    name,
    'dist-tags': { latest: version },
    time: { created: PUBLISHED, modified: PUBLISHED, [version]: PUBLISHED },
    versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
  };
}

// Starts a registry of the tarballs, given by the names of their packages.
async function startRegistry(tarballs) {
  const unknown = [];
  const server = http.createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1);
    const [name, file] = path.split('/-/');
    if (!Object.hasOwn(tarballs, name)) {
      unknown.push(path);
      response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
    } else if (file === undefined) {
      const metadata = metadataOf(name, tarballs[name], url);
      response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
    } else {
      response.setHeader('content-type', 'application/octet-stream');
      response.end(fs.readFileSync(tarballs[name]));
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${server.address().port}`;
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url, unknown, stop };
}

module.exports = { startRegistry };
