'use strict';

// The SharedTask interface: a task that several callers wait for, with the priority of the most
// urgent caller. shared-run.js has its runs.

const { reasonOfAborted } = require('../signals/abort-source.js');
const { isAborted } = require('../signals/aborted.js');
const { sourceOf } = require('../signals/highest-priority.js');
const { prioritySlots } = require('../signals/task-signal.js');
const { defineInspect } = require('../webidl/inspect.js');
const { nameOf, shortened } = require('../webidl/label.js');
const { Promise } = require('../loop/platform.js');
const { observers } = require('../loop/observers.js');
const { Run, Wait } = require('./shared-run.js');
const { ofChain, priorityOf } = require('./scheduling-state.js');
const webidl = require('../webidl/conversions.js');

const CONSTRUCTOR = 'the SharedTask constructor';
const CALLBACK = new webidl.Parameter(CONSTRUCTOR, 'the argument callback');
const OPTIONS = new webidl.Parameter(CONSTRUCTOR, 'the argument options');
const MEMBERS = { abortWhenUnused: Boolean, label: webidl.toString, priority: webidl.toPriority };

const JOIN_OPTIONS = new webidl.Parameter("'join' on 'SharedTask'", 'the argument options');
const JOIN_PRIORITY = JOIN_OPTIONS.member('priority');
const JOIN_SIGNAL = JOIN_OPTIONS.member('signal');
const JOIN_MEMBERS = ['priority', 'signal'];
const JOIN_PRIORITIES = [...webidl.PRIORITIES, 'inherit'];

// The slots of a SharedTask, which its runs share.
class Shared {
  callback;
  abortWhenUnused;
  label;
  priority;
  // The run under way: from the join() that begins it until it has settled.
  run = undefined;

  constructor(callback, options) {
    this.callback = webidl.toFunction(callback, CALLBACK);
    const { abortWhenUnused = false, label, priority = 'background' } =
      webidl.readOptions(options, OPTIONS, MEMBERS);
    this.abortWhenUnused = abortWhenUnused;
    this.label = label === undefined ? undefined : shortened(label);
    this.priority = priority;
  }

  // The name in error messages.
  get name() {
    const name = this.label ?? nameOf(this.callback);
    return name === '' ? 'an unnamed task' : `'${name}'`;
  }

  get joined() {
    const { run } = this;
    return run === undefined ? 0 : (run.next ?? run).joined;
  }

  join(options) {
    let wait;
    try {
      // Inlined for speed, as caches call this for each request.
      const dictionary = webidl.toDictionary(options, JOIN_OPTIONS);
      webidl.checkMembers(dictionary, JOIN_MEMBERS, JOIN_OPTIONS);
      const priority = webidl.optional(dictionary?.priority, toJoinPriority, JOIN_PRIORITY);
      const signal = webidl.optional(dictionary?.signal, webidl.toAbortSignal, JOIN_SIGNAL);
      const state = ofChain();
      if (observers.ledger !== undefined) observers.ledger.point();
      const source = sourceOfJoin(priority, signal, state);
      if (signal !== undefined) {
        if (isAborted(signal)) return Promise.reject(reasonOfAborted(signal));
        wait = new Wait(signal);
        if (!wait.listen()) return wait.promise;
      }
      return this.#join(source, state, wait);
    } catch (error) {
      wait?.end();
      return Promise.reject(error);
    }
  }

  #join(source, state, wait) {
    const { run } = this;
    const asker = state?.run;
    const isAsker = asker !== undefined && !asker.isOver;
    if (isAsker && run !== undefined) run.checkAsker(asker);
    const joined = run?.isAborted ? run.next : run;
    const target = joined ?? new Run(this);
    if (joined === undefined && run !== undefined) target.beginAfter(run);
    if (observers.wantsMessages) target.watchJoin(state, wait);
    const promise = target.join(source, isAsker ? asker : undefined, wait, state);
    if (run === undefined) target.begin();
    return promise;
  }
}

let isSharedTask;
let check;

class SharedTask {
  #shared;
  #join;

  constructor(callback, options = undefined) {
    const shared = new Shared(callback, options);
    // Works without a receiver, so that it can be passed as a function.
    const join = (options = undefined) => shared.join(options);
    this.#shared = shared;
    this.#join = join;
  }

  get join() {
    check(this, 'join');
    return this.#join;
  }

  get priority() {
    check(this, 'priority');
    return (this.#shared.run ?? this.#shared).priority;
  }

  get joined() {
    check(this, 'joined');
    return this.#shared.joined;
  }

  get isRunning() {
    check(this, 'isRunning');
    return this.#shared.run !== undefined;
  }

  static {
    ({ is: isSharedTask, check } = webidl.brand('SharedTask', (value) => #shared in value));
  }
}

webidl.defineInterface(SharedTask, ['join', 'priority', 'joined', 'isRunning']);

defineInspect(SharedTask, (task) => {
  if (!isSharedTask(task)) return undefined;
  const { priority, joined, isRunning } = task;
  return { priority, joined, isRunning };
});

// A priority, 'inherit', or a TaskSignal.
function toJoinPriority(value, parameter) {
  if (prioritySlots(value) !== undefined) return value;
  return webidl.toEnumeration(value, JOIN_PRIORITIES, parameter, 'a TaskSignal or ');
}

// The source of a join's priority, for HighestPriority. As in postTask(), the priority of a
// TaskSignal counts if none is given.
function sourceOfJoin(priority, signal, state) {
  const given = priority ?? (prioritySlots(signal) === undefined ? 'inherit' : signal);
  if (given !== 'inherit') return typeof given === 'string' ? given : sourceOf(given);
  const inherited = state?.prioritySource;
  return inherited === undefined ? priorityOf(state) : sourceOf(inherited);
}

module.exports = { SharedTask };
