// Stands for uv-scheduler/http: all requests are served in the order in which they come.

const controllers = new WeakMap();

// A visitor who leaves aborts it.
export function controllerFor(response) {
  if (!controllers.has(response)) {
    const controller = new AbortController();
    response.once('close', () => {
      if (!response.writableEnded) controller.abort();
    });
    controllers.set(response, controller);
  }
  return controllers.get(response);
}

export const createAdmission = () => ({ middleware: (request, response, next) => next() });

export function shutDown(server) {
  return new Promise((resolve) => server.close(resolve));
}
