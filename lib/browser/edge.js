'use strict';

// The entry point on edge runtimes (the conditions `edge-light` and `workerd`): the reason why the
// package cannot work there.

const { refusal } = require('../loading/refusal.js');

throw refusal(
  "requests cannot share a scheduler there. Use Node's runtime; in Next.js, the `runtime` of the " +
    "route is 'nodejs'. ('uv-scheduler/react' works everywhere, as <Suspense>.)",
  undefined,
  'on an edge runtime',
);
