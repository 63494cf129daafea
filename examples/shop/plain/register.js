// Loaded by --import, has the shop run without uv-scheduler: the modules of this folder stand for
// it.

import * as module from 'node:module';
import { resolve } from './hooks.js';

if (module.registerHooks) module.registerHooks({ resolve });
else module.register('./hooks.js', import.meta.url);
