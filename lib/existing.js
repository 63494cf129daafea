'use strict';

// Lets a class give its private fields to an object that exists already, and that another made:
// the host makes the signals of controllers and of `AbortSignal.any`.

class Existing {
  constructor(object) {
    return object;
  }
}

module.exports = { Existing };
