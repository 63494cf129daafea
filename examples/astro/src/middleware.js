// Handles each request in a task with the priority of its class, which ends when its visitor
// leaves. What Astro calls from there needs no options.

import { scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { priorityOf } from '../../shared/classes.mjs';

export async function onRequest({ request, url, locals }, next) {
  // Costs nothing, so it needs no task: a report gives way as soon as the request has come.
  if (url.pathname === '/health') return next();
  const priority = priorityOf(url.pathname, request.headers.get('user-agent') ?? '');
  locals.signal = controllerFor(request.signal, { priority }).signal;
  try {
    return await scheduler.postTask(() => next(), { signal: locals.signal });
  } catch (error) {
    if (!locals.signal.aborted) throw error;
    // The visitor has left. Astro would log the error.
    return new Response(null, { status: 499 });
  }
}
