// The declarations of uv-scheduler/http with each library that declares the host's classes.

import type { TaskController, TaskSignal } from 'uv-scheduler';
import { controllerFor, type ControllerForOptions } from 'uv-scheduler/http';

// A response with what is asked of it, and no more.
interface Response {
  readonly writableEnded: boolean;
  readonly req: { on(event: string, listener: (...args: unknown[]) => void): unknown };
  on(event: string, listener: (...args: unknown[]) => void): unknown;
}

export function controllers(response: Response, signal: AbortSignal, own: TaskSignal): void {
  const made: TaskController = controllerFor(response);
  made.setPriority('background');
  const options: (ControllerForOptions | null | undefined)[] = [
    undefined, null, {}, { priority: 'background' }, { priority: undefined },
  ];
  for (const each of options) {
    const controllers: TaskController[] = [
      controllerFor(response, each), controllerFor(signal, each), controllerFor(own, each),
    ];
    void controllers;
  }
}

export function refused(response: Response, request: Response['req']): void {
  // @ts-expect-error: nothing.
  controllerFor();
  // @ts-expect-error: a request is no response.
  controllerFor(request);
  // @ts-expect-error: no such priority.
  controllerFor(response, { priority: 'high' });
  // @ts-expect-error: no such option.
  controllerFor(response, { signal: new AbortController().signal });
}
