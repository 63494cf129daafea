// Handles each request in a task with the priority of its class, which ends when its visitor
// leaves. What Nuxt calls from there needs no options.

import { scheduler } from 'uv-scheduler';
import { controllerFor } from 'uv-scheduler/http';
import { priorityOf } from '../../../shared/classes.mjs';
import { untilAborted } from '../../../shared/turns.mjs';

export default defineNitroPlugin(({ h3App }) => {
  const { handler } = h3App;

  function handleInTask(event) {
    const { req, res } = event.node;
    // What a page fetches from its own server goes on in the task of the page. Nitro makes such a
    // request itself, and keeps the context of the page's event in it.
    if ('__unenv__' in req) {
      event.context.signal = req.__unenv__?.signal;
      return handler(event);
    }
    const priority = priorityOf(event.path, getHeader(event, 'user-agent') ?? '');
    const { signal } = controllerFor(res, { priority });
    event.context.signal = signal;
    return scheduler.postTask(() => untilAborted(handler(event), signal), { signal });
  }

  h3App.handler = async (event) => {
    // Costs nothing, so it needs no task: a report gives way as soon as the request has come.
    if (event.path === '/health') return handler(event);
    try {
      await handleInTask(event);
    } catch (error) {
      if (!event.context.signal?.aborted) throw error;
    }
  };
});
