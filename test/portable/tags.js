'use strict';

// The tags in the titles of tests that the portable host leaves out, as in "… @background": each
// names one of the `guarantees` that the host does not give, or something else that it lacks. A
// title may have several. `on` names the runtimes that lack it.

const ALL = ['node', 'bun', 'deno'];
const BOTH = ['bun', 'deno'];
const guarantee = { isGuarantee: true, on: ALL };
const lacking = (on, lacks) => ({ on, lacks });

const TAGS = {
  // Immediates, due timers and ready I/O are invisible, so background work runs between immediates
  // that follow each other at once, and does not yield to them.
  'background': guarantee,
  // I/O that becomes ready is invisible until the next turn.
  'userVisibleContinuations': guarantee,
  'idleCallbacks': guarantee,
  'idleMeansIdle': guarantee,
  'nestedLoops': guarantee,

  'thread-time': lacking(ALL, 'The processor time of a thread is visible to the addon only.'),
  'binding': lacking(ALL, 'It loads files of lib/, which open the addon.'),

  'loop-figures': lacking(BOTH, 'libuv’s figures tell how often a loop wakes.'),
  'before-exit': lacking(['bun'],
    'An immediate queued in beforeExit makes it fire again, also if unreferenced.'),
  'rejections': lacking(BOTH, 'Unhandled rejections are reported at another time.'),
  'order-at-end': lacking(['deno'],
    'The loop turns in another order, and once more before its end.'),
  'ends-of-workers': lacking(['deno'],
    'Workers have no beforeExit, and end the process with their uncaught errors.'),
  'holds-in-workers': lacking(BOTH,
    'Background work is held back by an immediate, or by quotas, which it cannot see.'),
  'file-of-addon': lacking(['deno'], 'It looks at the addon’s file.'),
  'turns-of-files': lacking(['deno'],
    'The callbacks of files that are ready at once run in the microtasks of the caller.'),
  'turns-of-messages': lacking(['deno'], 'A message is delivered in the microtasks of the task.'),
  'messages-apart': lacking(BOTH,
    'The ports of a MessageChannel have no `on`, or deliver without a turn of the loop.'),
  'own-listeners': lacking(['deno'], 'Another listener can stop every listener of an event.'),
  'errors-of-listeners': lacking(BOTH,
    'The runtime reports the error of a listener while the event is dispatched.'),
  'errors-as-text': lacking(['bun'], 'An uncaught error is printed in another form.'),
  'async-hooks': lacking(BOTH, 'There are no hooks of async_hooks, or a task is no AsyncResource.'),
  'async-exit': lacking(['deno'],
    'AsyncResource keeps the value that AsyncLocalStorage.exit() should hide.'),
  'async-ids': lacking(BOTH,
    'Without async ids the state ends with the task, or comes to the callbacks it started.'),
  'async-ids-of-turns': lacking(['bun'],
    'Without async ids a callback looks like the task that has started it.'),
  'inspect': lacking(BOTH, 'util.inspect() prints other text.'),
  'inspect-of-signals': lacking(['deno'], 'util.inspect() prints other text of signals.'),
  'prototypes': lacking(['bun'], 'The runtime itself fails if Object.prototype has such members.'),
};

// A pattern for mocha that selects, by their full titles, the tests that a host runs.
function selection(host, grep = '') {
  const tags = Object.keys(TAGS).filter((tag) => TAGS[tag].on.includes(host)).join('|');
  return `/^(?!.*@(?:${tags})(?![-\\w]))(?=.*(?:${grep}))/`;
}

module.exports = { TAGS, selection };
