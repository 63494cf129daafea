// `uv-scheduler/watch` in pages, so that code which is shared with a server can import it. In a
// process of Node under the condition `browser`, the functions are those of Node.

import { apiOfNode } from '../../lib/browser/node.mjs';
import { unsupported } from '../../lib/browser/unsupported.mjs';

const NAMES = ['monitorTasks', 'reportSlowTasks', 'traceTasks'];

const api = apiOfNode(globalThis, 'watch.js') ?? Object.fromEntries(
  NAMES.map((name) => [name, unsupported(name)]));

export default api;

export const { monitorTasks, reportSlowTasks, traceTasks } = api;
