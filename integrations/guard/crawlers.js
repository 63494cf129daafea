'use strict';

// The user agents of crawlers: patterns of isbot 5.2.3, of 2026-11-29. Made by
// scripts/crawlers.js.

const CRAWLERS = new RegExp([
  String.raw` daum[ /]`,
  String.raw` deusu/`,
  String.raw`(?<! channel/|google/)google(?!(?:wv|app|/google| pixel))`,
  String.raw`(?<! cu)bots?(?:\b|_)`,
  String.raw`^\w*search\b`,
  String.raw`^facebook`,
  String.raw`^owler`,
  String.raw`^webcopier`,
  String.raw`^xenu link sleuth`,
  String.raw`^yahoo`,
  String.raw`^yandex`,
  String.raw`archive`,
  String.raw`ask jeeves/teoma`,
  String.raw`attracta`,
  String.raw`crawl`,
  String.raw`datanyze`,
  String.raw`exaleadcloudview`,
  String.raw`httrack`,
  String.raw`linkcheck`,
  String.raw`mail\.ru/`,
  String.raw`nutch`,
  String.raw`scrape`,
  String.raw`sogou`,
  String.raw`spider`,
].join('|'), 'i');

module.exports = { CRAWLERS };
