// Handles each request in a task with the priority of its class, which ends when its visitor
// leaves. What SvelteKit calls from there needs no options.

import { scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { priorityOf } from '../../shared/classes.mjs';
import { untilAborted } from '../../shared/turns.mjs';

export async function handle({ event, resolve }) {
  const { request, url, locals } = event;
  // Costs nothing, so it needs no task: a report gives way as soon as the request has come.
  if (url.pathname === '/health') return resolve(event);
  const priority = priorityOf(url.pathname, request.headers.get('user-agent') ?? '');
  const { signal } = controllerFor(request.signal, { priority });
  locals.signal = signal;
  try {
    return await scheduler.postTask(() => untilAborted(resolve(event), signal), { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    // The visitor has left. For a path that SvelteKit cannot decode, an error would end the server.
    return new Response(null, { status: 499 });
  }
}

// SvelteKit reports the end of such a task, too.
export function handleError({ error, event }) {
  if (!event.request.signal.aborted) console.error(error);
}
