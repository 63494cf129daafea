'use strict';

// The route of a request: its method and its path, in which segments that look like ids are `:id`.

// Numbers and dates, UUIDs, hashes, and long segments.
const ID = /^(?:\d[\d.:T-]*Z?|(?=.*\d)[\da-f-]{8,}|.{25,})$/i;

const LONGEST = 120;

// The paths that probes of orchestrators and load balancers ask for.
const HEALTH = /^(?:GET|HEAD) \/(?:_?health|live|ready|alive|ping|status)(?:z|check|ness)?(?:\/|$)/;

function routeOf({ method, url }) {
  const [path] = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  const segments = path.split('/').map((each) => (ID.test(each) ? ':id' : each));
  return `${method} ${segments.join('/') || '/'}`.slice(0, LONGEST);
}

const isHealthCheck = (route) => HEALTH.test(route);

module.exports = { isHealthCheck, routeOf };
