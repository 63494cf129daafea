// Stands for an export that browsers lack, so that code which is shared with a server can import it
// by its name.

import { CODE } from '../loading/refusal.js';
import { withCode } from '../webidl/error-code.js';

// A function and a class in one.
export function unsupported(name, reason = 'runs in Node, Bun and Deno only') {
  return function () {
    throw withCode(new Error(`Failed to execute '${name}': it ${reason}.`), CODE);
  };
}
