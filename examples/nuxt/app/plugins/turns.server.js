// Gives pages turns on the server alone: the addon does not run in browsers.

import { pieces } from 'uv-scheduler';
import { createTurns } from '../../../shared/turns.mjs';

const turns = (items) => createTurns(pieces(items));

export default defineNuxtPlugin(() => ({ provide: { turns } }));
