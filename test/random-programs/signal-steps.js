'use strict';

// The steps of a random program that make, abort, follow and re-prioritise signals. Owns the
// program's signals, each with its model; what they do to tasks is the model's matter.

const { ModelSignal } = require('./signals.js');

class SignalSteps {
  // The one that a task was posted with last: tasks of it are likely to wait.
  recent;
  #api;
  #model;
  #post;
  // Each signal with its model and, where it has one, its controller.
  #list = [];
  #names = 0;

  // `post` posts a task with these options.
  constructor({ api, model, post }) {
    this.#api = api;
    this.#model = model;
    this.#post = post;
  }

  // Undefined only if there is no signal at all.
  at(index) {
    return this.#list[index % this.#list.length];
  }

  controller({ isPlain, priority }) {
    const controller = isPlain ? new AbortController() : new this.#api.TaskController({ priority });
    const name = `signal${this.#names++}`;
    const model = new ModelSignal({ name, priority: isPlain ? undefined : priority });
    this.#list.push({ real: controller.signal, controller, model, isPlain });
  }

  any(step) {
    if (this.#list.length === 0) return;
    const sources = step.signals.map((index) => this.at(index));
    const source = this.at(step.source);
    if (step.kind === 'plain') this.#plainAny(sources);
    else if (step.kind === 'fixed') this.#any(sources, step.priority);
    else if (step.kind === 'followed' && source.model.isTaskSignal) this.#any(sources, source);
    else this.#any(sources);
    if (step.listens !== undefined) this.#listen(this.#list.at(-1), step.listens);
  }

  // `priority`: one of the three, a signal to follow, or none.
  #any(sources, priority) {
    const options = priority && { priority: priority.real ?? priority };
    const real = this.#api.TaskSignal.any(sources.map((each) => each.real), options);
    const fixedOrFollowed = priority?.model ?? priority ?? 'user-visible';
    this.#addDependent(sources, real, fixedOrFollowed);
  }

  #plainAny(sources) {
    this.#addDependent(sources, AbortSignal.any(sources.map(({ real }) => real)), undefined);
  }

  #addDependent(sources, real, priority) {
    const name = `any${this.#names++}`;
    const models = sources.map(({ model }) => model);
    const model = ModelSignal.any(name, models, priority, real);
    const reasons = sources.filter((each) => each.real.aborted).map((each) => each.real.reason);
    if (real.aborted !== model.isAborted || (real.aborted && !reasons.includes(real.reason))) {
      this.#model.fail('any', name, 'is not aborted as its sources are');
    }
    this.#list.push({ real, model });
  }

  // The signal that a step names: that of the task whose code it is, the one that a task was posted
  // with last, or one of those in `list`.
  #target(name, context, list) {
    const named = { own: context.signal, recent: this.recent }[name];
    return named ?? list[Number.isInteger(name) ? name % list.length : 0];
  }

  abort({ signal: name }, context) {
    const controllers = this.#list.filter(({ controller }) => controller !== undefined);
    const { controller, model } = this.#target(name, context, controllers) ?? {};
    if (controller === undefined || model.isAborted) return;
    const reason = new Error(`aborted by ${model.name}`);
    this.#model.abort(model, reason);
    controller.abort(reason);
  }

  setPriority({ signal: name, priority }, context) {
    const controllers = this.#list.filter((each) => each.controller && !each.isPlain);
    const source = this.#target(name, context, controllers)?.model.prioritySource;
    const changed = controllers.find(({ model }) => model === source) ?? controllers[0];
    if (changed === undefined) return;
    const { controller, model: signal } = changed;
    let thrown;
    if (signal.isChanging) {
      try {
        controller.setPriority(priority);
      } catch (error) {
        thrown = error;
      }
      if (thrown?.name !== 'NotAllowedError') this.#model.fail('change', 'no NotAllowedError');
      return;
    }
    if (signal.priority !== priority) {
      signal.isChanging = true;
      signal.untold = signal.told().filter(({ isHeard }) => isHeard);
      signal.previous = signal.priority;
      this.#model.changePriority(signal, priority);
    }
    controller.setPriority(priority);
    signal.isChanging = false;
    if (signal.untold.length > 0) this.#model.fail('change', signal.untold[0].name, 'is not told');
    for (const { real, model } of this.#list) {
      if (model.isTaskSignal && !signalOf(model).isChanging && real.priority !== model.priority) {
        this.#model.fail('change', model.name, 'has the priority', real.priority);
      }
    }
  }

  listen({ signal, reaction }) {
    const listening = this.at(signal);
    if (listening !== undefined) this.#listen(listening, reaction);
  }

  #listen({ real, model }, reaction) {
    if (!model.isTaskSignal || model.isHeard) return;
    model.isHeard = true;
    real.addEventListener('prioritychange', ({ previousPriority }) => {
      const source = signalOf(model);
      const next = source.untold.shift();
      if (next !== model) this.#model.fail('change', model.name, 'is told too early or too often');
      if (previousPriority !== source.previous) this.#model.fail('change', 'previous priority');
      this.#heard(reaction);
    });
  }

  // The reaction of a listener to a change.
  #heard({ does, target, priority }) {
    if (does === 'setPriority') {
      this.setPriority({ signal: target, priority }, {});
    } else if (does === 'any') {
      const source = this.at(target);
      if (source.model.isTaskSignal) this.#any([source], source);
    } else if (!this.#model.idleness.isDraining) {
      // Whether drain() refuses it depends on which followers have changed so far.
      this.#post({ signal: target });
    }
  }
}

function signalOf(model) {
  return model.root ?? model;
}

module.exports = { SignalSteps };
