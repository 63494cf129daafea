// wait() in a page, whose own scheduler has no such method.

import { readMembers, toDelay, toPriority, toSignalOrInherit } from './arguments.mjs';
import { pause } from './pause.mjs';

const MEMBERS = { priority: toPriority, signal: toSignalOrInherit };

export function waitOf(scheduler) {
  return async function wait(delay, options = undefined) {
    const time = toDelay(delay, 'wait');
    const { priority, signal } = readMembers('wait', options, MEMBERS);
    // A signal without a priority has its own, or the default.
    const inherited = signal === undefined ? 'inherit' : undefined;
    await pause(scheduler, { delay: time, priority: priority ?? inherited, signal });
  };
}
