// Ends the running task and continues in a later one.

export const noop = () => {};

export function throwIfAborted(signal) {
  if (signal?.aborted) throw signal.reason;
}

// The browser's own `yield()` takes no options: it inherits both the priority and the signal of the
// task. Another priority needs a task. A delay and `signal` do not end what `yield()` inherits, as
// a reaction to a promise still belongs to the task that awaits it.
export async function pause(scheduler, { delay, priority, signal }) {
  if (priority !== 'inherit') return scheduler.postTask(noop, { delay, priority, signal });
  // The most urgent priority: the continuation alone waits for its turn.
  if (delay > 0) await scheduler.postTask(noop, { delay, priority: 'user-blocking', signal });
  throwIfAborted(signal);
  await scheduler.yield();
  throwIfAborted(signal);
}
