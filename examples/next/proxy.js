// Gives each request its class, and lets it wait here for a turn: Next.js begins to work for it
// when no request of a higher class waits. What comes behind reads the class in a header.

import { NextResponse } from 'next/server';
import { scheduler } from 'uv-scheduler';
import { PRIORITY_HEADER, priorityOf } from './classes.mjs';

export async function proxy(request) {
  const priority = priorityOf(request);
  await scheduler.postTask(() => {}, { priority });
  const headers = new Headers(request.headers);
  // Also in place of one that the client has sent.
  headers.set(PRIORITY_HEADER, priority);
  return NextResponse.next({ request: { headers } });
}

export const config = { matcher: ['/api/sales', '/checkout', '/orders.csv', '/report', '/years'] };
