'use strict';

// The names of routes by method and path.

const assert = require('node:assert/strict');
const { Routes, pathOf } = require('../../integrations/routes.js');

const nameIn = (routes, url, now = 0, method = 'GET') => routes.nameOf(method, pathOf(url), now);
const word = (i) => [26 ** 3, 26 ** 2, 26, 1].map((each) => {
  return String.fromCharCode(97 + Math.trunc(i / each) % 26);
}).join('');

describe('the name of a route', () => {
  for (const [url, name] of Object.entries({
    '/': 'GET /',
    '/api/list?page=2#top': 'GET /api/list',
    '/users/12/posts/': 'GET /users/:id/posts/',
    '/v2/app;v=1': 'GET /v2/app',
    '/a/550e8400-e29b-41d4-a716-446655440000': 'GET /a/:id',
    '/a/d41d8cd98f00b204e9800998ecf8427e': 'GET /a/:id',
    '/a/2026-02-28/b': 'GET /a/:id/b',
    '/a/order-1234567': 'GET /a/:id',
    '/assets/app.3f2a9c81d2e4.js': 'GET /assets/:id',
    'http://example.org/a/b': 'GET /a/b',
    'http://example.org': 'GET /',
    '*': 'GET /',
    '/%E0%A4%A/%': 'GET /%E0%A4%A/%',
    '//a//b': 'GET //a//b',
    '/a/b/c/d/e/f/g/h': 'GET /a/b/c/d/e/f/*',
  })) it(`is ${name} for ${url}`, () => assert.equal(nameIn(new Routes(), url), name));

  it('is short for a path of 60 kB, and does not keep the path', () => {
    const names = ['/', '/a/', '/%', '/a;'].map((start) => {
      return nameIn(new Routes(), start + 'x'.repeat(60_000));
    });
    assert.deepEqual(names, ['GET /:id', 'GET /a/:id', 'GET /:id', 'GET /a']);
    assert.equal(nameIn(new Routes(), '/', 0, 'X'.repeat(60_000)), '* /');
  });

  it('has * in place of a segment with many values, and of those that a client invents', () => {
    const routes = new Routes();
    const names = new Set();
    const known = ['/api/list', '/home'];
    for (let i = 0; i < 200_000; i++) {
      if (i % 100 === 0) for (const each of known) names.add(nameIn(routes, each, i));
      names.add(nameIn(routes, `/${word(i)}/${word(i * 7)}/${word(i * 3)}`, i));
    }
    for (const each of known) assert.equal(nameIn(routes, each, 2e5), `GET ${each}`);
    // Some were forgotten, and others came in their places.
    assert.ok(names.size < 8000, `${names.size} names`);
    assert.match(nameIn(routes, `/${word(5)}/x/y`, 2e5), /^GET \/\*\/\*\/\*$/);
  });

  it('is told apart again where many invented ones have come before', () => {
    const routes = new Routes();
    for (let i = 0; i < 50_000; i++) nameIn(routes, `/${word(i)}`, 0);
    assert.equal(nameIn(routes, '/home', 1), 'GET /*');
    nameIn(routes, '/home', 60_001);
    assert.equal(nameIn(routes, '/home', 120_002), 'GET /home');
  });
});
