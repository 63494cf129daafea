// Starts the server that `astro build` has made, and ends it when SIGTERM or SIGINT comes: by
// itself it would leave its visitors at once.

import { shutDown } from 'uv-scheduler/http';
import { shutDownOnSignals } from '../shared/shut-down.mjs';

process.env.ASTRO_NODE_AUTOSTART = 'disabled';
process.env.HOST ??= '127.0.0.1';
process.env.PORT ??= '3000';

const { startServer } = await import('./dist/server/entry.mjs');
shutDownOnSignals(startServer().server.server, shutDown);
