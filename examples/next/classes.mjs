// Which priority a request has, by its class: what sells goes first, pages are in between, and
// crawlers have what is left. A real application would rather ask its session than a header, which
// anybody can write.

// In which proxy.js hands it on.
export const PRIORITY_HEADER = 'x-task-priority';

const CRAWLER = /bot|crawl|spider/i;

export function priorityOf({ url, headers }) {
  if (new URL(url).pathname === '/checkout') return 'user-blocking';
  return CRAWLER.test(headers.get('user-agent')) ? 'background' : 'user-visible';
}
