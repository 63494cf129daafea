// The suite in a pool of vitest.

import { test } from 'vitest';
import api from '../../../../dist/index.js';
import runners from '../../../fixtures/runners/suite.js';

for (const [name, check] of Object.entries(runners.suite)) test(name, () => check(api));
