// Which priority a request has in several examples, by its class: what sells goes first, pages are
// in between, and crawlers have what is left. A real application would rather ask its session than
// a header, which anybody can write.

const CRAWLER = /bot|crawl|spider/i;

export function priorityOf(path, userAgent = '') {
  if (path === '/checkout') return 'user-blocking';
  return CRAWLER.test(userAgent) ? 'background' : 'user-visible';
}
