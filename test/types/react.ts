// The declarations of uv-scheduler/react.

import { createElement, type ReactElement } from 'react';
import { TaskController } from 'uv-scheduler';
import { Scheduled, type ScheduledProps } from 'uv-scheduler/react';

const { signal } = new TaskController();

export const elements: ReactElement[] = [
  createElement(Scheduled),
  createElement(Scheduled, { priority: 'background', signal, fallback: 'wait', key: 1 }, 'text'),
  createElement(Scheduled, { signal: null }, createElement('p'), 'text'),
  createElement(Scheduled, { priority: undefined, signal: undefined, fallback: undefined }),
];
export const props: ScheduledProps = { signal: AbortSignal.timeout(1000), children: 'text' };
export const element: ReactElement = Scheduled({});

// @ts-expect-error: no such priority.
createElement(Scheduled, { priority: 'high' });
// @ts-expect-error: no such prop.
createElement(Scheduled, { timeout: 1 });
// @ts-expect-error: it is the signal that counts.
createElement(Scheduled, { signal: new AbortController() });
