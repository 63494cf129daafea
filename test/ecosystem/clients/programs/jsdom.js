'use strict';

// Makes this process look like a page to packages for browsers, as test environments do.

const { JSDOM } = require('jsdom');

const page = '<!doctype html><body></body>';
const { window } = new JSDOM(page, { pretendToBeVisual: true, url: 'https://example.org/' });

const NAMES = ['document', 'requestAnimationFrame', 'cancelAnimationFrame', 'HTMLElement', 'Node'];

globalThis.window = window;
for (const name of NAMES) globalThis[name] = window[name];
// Some versions of Node have a `navigator` of their own, without a setter.
Object.defineProperty(globalThis, 'navigator', { value: window.navigator, configurable: true });

module.exports = window;
