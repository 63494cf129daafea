// The entry point `uv-scheduler/react` of the sources for browsers, as an ES module, which they
// load without a bundler. The package loads dist/react-browser.mjs, which is made of this (see
// scripts/setup/bundle.js).

import { Suspense, createElement } from 'react';
import { defineScheduled } from './scheduled.js';

export const Scheduled = defineScheduled({ Suspense, createElement });
