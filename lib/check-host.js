'use strict';

// Refuses hosts that the addon must not even be loaded into. Others that lack something are found
// out by the addon itself.

// Bun has functions under libuv's names that end the process when they are called.
if (process.versions.bun !== undefined) {
  throw new Error('uv-scheduler cannot run in this process: Bun has no libuv event loop');
}
