// Gives components pieces() on the server alone: the addon does not run in browsers.

import { pieces } from 'uv-scheduler';

export default defineNuxtPlugin(() => ({ provide: { pieces } }));
