// Work in pieces that belongs to the static shell, with `cacheComponents`.

import { scheduler } from 'uv-scheduler';

async function summary() {
  'use cache';
  for (let piece = 0; piece < 20; piece++) await scheduler.yield();
  return 'summarised';
}

export default async function Page() {
  return <p>{await summary()}</p>;
}
