'use strict';

// The rows of the event loop contract that hold with the binding of this build. The addon keeps all
// of them. Other hosts than libuv tell neither ready I/O, nor due timers, nor quotas.

const IS_NATIVE = process.env.UV_SCHEDULER_BUILD !== 'portable';

const guarantees = Object.freeze({
  __proto__: null,
  order: true,
  oneTaskOneMacrotask: true,
  userBlocking: true,
  userVisibleContinuations: IS_NATIVE,
  userVisibleTasks: IS_NATIVE,
  background: IS_NATIVE,
  idleCallbacks: IS_NATIVE,
  timeSlice: true,
  boundedWaits: true,
  ownBounds: true,
  idleMeansIdle: IS_NATIVE,
  liveness: true,
  nestedLoops: IS_NATIVE,
});

module.exports = { guarantees };
