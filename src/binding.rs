//! The functions that JavaScript calls, and the loop hooks.
//!
//! Each finds the environment, calls [`uv_scheduler_core::event_loop`], which decides what happens
//! to the tasks and the handles, and converts the result.
//!
//! Environments have numbers: test runners load the package into several contexts of one thread,
//! which share the native module, and each context is an environment of its own. An environment
//! without entries rests: its hooks do not run, and its JavaScript can be collected. Then the next
//! one that is started gets its place, with the handles.

use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::rc::Rc;

use napi::bindgen_prelude::{Float64Array, Function, JsObjectValue, Object, Uint32Array};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use uv_scheduler_core::event_loop::{Check, EventLoop, Queued, Refused};
use uv_scheduler_core::fair_queues::KeyUse;
use uv_scheduler_core::hold::Held;
use uv_scheduler_core::host::{
    Handles, Hold, Host, Inbox, NANOSECONDS_PER_MILLISECOND, nanoseconds,
};
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::protocol::{Entry, NO_TASK, NUMBERS, WORDS};
use uv_scheduler_core::shared::Shared;
use uv_scheduler_core::task_queues::{Post, QueueError, Waiting};
use uv_scheduler_idle::{Idle, Mode};

use crate::callback::{self, JsFunction, Reference, SharedWords};
use crate::host;
use crate::uv::{self, Hooks, Uv};

/// The state of this native module in one thread.
#[derive(Default)]
struct Thread {
    /// By the numbers of the environments.
    places: RefCell<Vec<Rc<Place>>>,
    phase: Rc<Phase>,
}

/// Where the loop is, for environments whose hooks have rested. The hooks of the first place always
/// run, and those of the others may.
#[derive(Default)]
struct Phase {
    is_poll: Cell<bool>,
    /// The number of check phases that have begun.
    checks: Cell<u64>,
}

/// The handles of one environment after the other.
struct Place {
    uv: Rc<Uv>,
    phase: Rc<Phase>,
    /// Whether the hooks tell all environments where the loop is.
    is_first: bool,
    /// `None` once the environment has ended or was collected.
    environment: RefCell<Option<Rc<Environment>>>,
}

/// The addon's state of one environment.
struct Environment {
    event_loop: RefCell<EventLoop>,
    host: NodeHost,
    /// The object of its JavaScript that has all others, and is kept alive unless the environment
    /// rests.
    calls: Reference,
    run_task: JsFunction,
    end_check: JsFunction,
    phase: Rc<Phase>,
    /// Whether its hooks also run while it rests.
    is_first: bool,
    is_resting: Cell<bool>,
    /// The number of check phases up to its rest.
    rested_at: Cell<u64>,
}

/// The loop as the core sees it.
struct NodeHost {
    uv: Rc<Uv>,
    shared: Shared<SharedWords>,
    idle: RefCell<Idle>,
}

/// The modes by their numbers in JavaScript.
const IDLE_MODES: [Mode; 3] = [Mode::Loop, Mode::Container, Mode::Machine];

impl Host for NodeHost {
    /// Reads the clock, and shows JavaScript the time.
    fn now(&self) -> u64 {
        let now = self.uv.now();
        self.shared.set_time(now);
        now
    }

    fn is_io_ready(&self) -> bool {
        self.uv.is_io_ready()
    }

    fn is_busy(&self) -> bool {
        self.uv.is_busy()
    }

    fn hold(&self, now: u64, background: u64) -> Option<Hold> {
        self.idle.borrow_mut().hold(now, background)
    }

    fn thread_time(&self) -> Option<u64> {
        host::thread_time()
    }

    fn end_hold(&self) {
        self.idle.borrow_mut().end_hold();
    }
}

impl Handles for NodeHost {
    fn set_referenced(&self, referenced: bool) {
        self.uv.set_referenced(referenced);
    }

    fn set_awake(&self, awake: bool) {
        self.uv.set_awake(awake);
    }

    fn set_timer(&self, deadline: Option<u64>) {
        self.uv.set_timer(deadline);
    }

    fn set_notify_rank(&self, rank: u32) {
        self.shared.set_notify_rank(rank);
    }

    fn restore_checks(&self) {
        self.uv.restore_checks();
    }
}

impl Inbox for NodeHost {
    fn take_entries(&self, each: impl FnMut(Entry)) {
        self.shared.take_entries(each);
    }
}

impl Phase {
    fn poll(&self) {
        self.is_poll.set(true);
    }

    fn check(&self) {
        if self.is_poll.replace(false) {
            self.checks.set(self.checks.get() + 1);
        }
    }
}

impl Place {
    fn new(env: &Env, phase: Rc<Phase>, is_first: bool) -> Result<Rc<Self>> {
        let uv = Uv::open(env).map_err(|error| {
            failure(format!("uv-scheduler cannot run in this process: {error}"))
        })?;
        let place = Rc::new(Self {
            uv: Rc::new(uv),
            phase,
            is_first,
            environment: RefCell::default(),
        });
        let ending = Rc::clone(&place);
        host::on_environment_end(env, Box::new(move |done| ending.end(done)))?;
        place.uv.start(place.clone());
        place.uv.set_running(is_first);
        Ok(place)
    }

    fn environment(&self) -> Option<Rc<Environment>> {
        self.environment.borrow().clone()
    }

    /// The environment was collected.
    fn leave(&self, environment: &Rc<Environment>) {
        let is_own = |own: &mut Rc<Environment>| Rc::ptr_eq(own, environment);
        let own = self.environment.borrow_mut().take_if(is_own);
        if let Some(environment) = own {
            environment.release();
        }
    }

    /// Releases everything when the thread ends: JavaScript cannot be called from here on. The
    /// close callback of the last handle calls `done`, which lets Node go on.
    fn end(&self, done: host::Done) {
        if let Some(environment) = self.environment.take() {
            environment.release();
        }
        self.uv.close(done);
    }
}

impl Hooks for Place {
    fn on_prepare(&self) {
        self.phase.poll();
        if let Some(environment) = self.environment() {
            environment.on_prepare();
        }
    }

    fn on_check(&self) {
        self.phase.check();
        if let Some(environment) = self.environment() {
            environment.on_check();
        }
    }

    fn on_timer(&self) {
        if let Some(environment) = self.environment() {
            environment.with(EventLoop::timer);
        }
    }
}

impl Environment {
    /// Calls the core, which never calls back into the environment.
    fn with<R>(&self, call: impl FnOnce(&mut EventLoop, &NodeHost) -> R) -> R {
        if self.is_resting.get() {
            self.wake();
        }
        call(&mut self.event_loop.borrow_mut(), &self.host)
    }

    /// Stops the hooks, and lets the JavaScript be collected.
    fn rest(&self) {
        self.is_resting.set(true);
        self.rested_at.set(self.phase.checks.get());
        self.calls.keep_alive(false);
        if !self.is_first {
            self.host.uv.set_running(false);
        }
    }

    /// JavaScript calls, and has called in time for the hooks that are to come.
    fn wake(&self) {
        self.is_resting.set(false);
        self.calls.keep_alive(true);
        if !self.is_first {
            self.host.uv.set_running(true);
        }
        let has_turned = self.phase.checks.get() != self.rested_at.get();
        let mut event_loop = self.event_loop.borrow_mut();
        event_loop.catch_up(&self.host, has_turned, self.phase.is_poll.get());
    }

    fn on_prepare(&self) {
        if !self.is_resting.get() {
            self.with(EventLoop::prepare);
        }
    }

    fn on_check(&self) {
        if self.is_resting.get() {
            return;
        }
        let check = self.with(EventLoop::begin_check);
        let may_rest = check.is_none() && self.with(|event_loop, _| event_loop.may_rest());
        if let Some(check) = check {
            self.run_check(check);
        }
        if self.host.shared.take_end_of_check() {
            let mut once = Some(NO_TASK);
            // If JavaScript cannot be called, there is nothing to tidy up.
            self.end_check.call_each(|| once.take(), || 0);
        } else if may_rest {
            self.rest();
        }
    }

    /// The time at which a delay of so many milliseconds ends. A delay that is too long to count in
    /// nanoseconds never ends.
    fn deadline(&self, delay: f64) -> u64 {
        self.host.now().saturating_add(nanoseconds(delay))
    }

    /// Runs the check pass.
    fn run_check(&self, mut check: Check) {
        let next = || self.with(|event_loop, host| event_loop.next_in_check(host, &mut check));
        let unstarted = self.run_task.call_each(next, || self.host.shared.begun());
        // JavaScript cannot be called: the next check phase tries again.
        if let Some(task) = unstarted {
            self.with(|event_loop, host| event_loop.give_back(host, task));
        }
        self.with(|event_loop, host| event_loop.end_check(host, check));
    }

    /// Releases the references. JavaScript cannot be called from here on.
    fn release(&self) {
        self.calls.release();
        self.run_task.release();
        self.end_check.release();
        self.host.shared.words.release();
    }
}

/// Starts an environment and returns its number. Throws if the addon cannot run in this host, or
/// if `numbers` differ from those of `core/src/protocol.rs`.
///
/// Calls `calls.runTask(id)` to start the task with this id, or with 2^30 to run ticks that an
/// exception has left, and `calls.endCheck()` at the end of a check phase if `words` ask for it.
/// Adds the functions `flush`, `finishRemoval`, `nextAtCheckpoint`, `rankOfStarted`, `shouldYield`,
/// `readTime` and `expectEndOfCheck` to `calls`, which take no arguments. The environment ends when
/// `calls` is collected, which has the functions and the words.
#[napi]
fn start(env: Env, mut calls: Object, words: Object, numbers: Uint32Array) -> Result<u32> {
    compare_numbers(&numbers)?;
    calls.set_named_property("words", words)?;
    let words = SharedWords::new(&env, &words)?;
    if words.length() != WORDS {
        return Err(failure(
            "the number of shared words differs from that of the layout",
        ));
    }
    let function = |name| {
        let function: Function<u32, ()> = calls.get_named_property(name)?;
        JsFunction::new(&env, &function, &calls)
    };
    let (calls_reference, run_task, end_check) = (
        Reference::new(&env, &calls)?,
        function("runTask")?,
        function("endCheck")?,
    );
    if thread(&env).is_none() {
        host::set_instance(&env, Box::new(Thread::default()))?;
    }
    let thread = thread(&env).ok_or_else(not_started)?;
    let (number, place) = thread.free_place(&env)?;
    let environment = Rc::new(Environment {
        event_loop: RefCell::default(),
        host: NodeHost {
            uv: Rc::clone(&place.uv),
            shared: Shared { words },
            idle: RefCell::new(Idle::new(host::THREAD_CALLS)),
        },
        calls: calls_reference,
        run_task,
        end_check,
        phase: Rc::clone(&thread.phase),
        is_first: place.is_first,
        is_resting: Cell::new(true),
        rested_at: Cell::new(thread.phase.checks.get()),
    });
    for (name, call) in [
        (c"flush", flush as fn(&Environment) -> u32),
        (c"finishRemoval", finish_removal),
        (c"nextAtCheckpoint", next_at_checkpoint),
        (c"rankOfStarted", rank_of_started),
        (c"shouldYield", should_yield),
        (c"readTime", read_time),
        (c"expectEndOfCheck", expect_end_of_check),
    ] {
        define(&env, &mut calls, name, &environment, call)?;
    }
    let (left, leaving) = (Rc::clone(&place), Rc::clone(&environment));
    callback::on_collected(&env, &calls, Box::new(move || left.leave(&leaving)))?;
    place.environment.replace(Some(environment));
    Ok(number)
}

impl Thread {
    /// The first place without an environment, and its number. Makes one if there is none.
    fn free_place(&self, env: &Env) -> Result<(u32, Rc<Place>)> {
        let mut places = self.places.borrow_mut();
        let is_free = |place: &Rc<Place>| place.environment.borrow().is_none();
        let index = places.iter().position(is_free).unwrap_or(places.len());
        let number = u32::try_from(index).map_err(|_| failure("too many environments"))?;
        if index == places.len() {
            places.push(Place::new(env, Rc::clone(&self.phase), index == 0)?);
        }
        Ok((number, Rc::clone(&places[index])))
    }
}

fn define(
    env: &Env,
    calls: &mut Object,
    name: &CStr,
    environment: &Rc<Environment>,
    call: fn(&Environment) -> u32,
) -> Result<()> {
    let environment = Rc::clone(environment);
    callback::define_function(env, calls, name, Box::new(move || call(&environment)))
}

/// Flushes the shared words. Returns 1 if a checkpoint has to be scheduled.
fn flush(environment: &Environment) -> u32 {
    environment.with(EventLoop::flush).into()
}

/// Stops keeping the process alive, and waking the loop, for tasks that were removed.
fn finish_removal(environment: &Environment) -> u32 {
    environment.with(EventLoop::finish_removal);
    0
}

/// Takes the next task of the checkpoint pass, which the caller runs at once. 2^30 if there is
/// none.
fn next_at_checkpoint(environment: &Environment) -> u32 {
    environment
        .with(EventLoop::next_at_checkpoint)
        .unwrap_or(NO_TASK)
}

/// The rank that the task which was started last had in its queue.
fn rank_of_started(environment: &Environment) -> u32 {
    environment.with(|event_loop, _| event_loop.rank_of_started())
}

/// Returns whether the code that the shared words describe should yield, as 0 or 1; plus 2 if the
/// code may reuse the answer, plus 4 if the scheduler does not see where its callback ends.
fn should_yield(environment: &Environment) -> u32 {
    let Some(code) = environment.host.shared.take_code() else {
        return 0;
    };
    environment
        .with(|event_loop, host| event_loop.should_yield(host, code))
        .bits()
}

/// Reads the clock into the shared words.
fn read_time(environment: &Environment) -> u32 {
    environment.host.now();
    0
}

/// Makes sure that a check phase comes whose end JavaScript is told, as the words ask.
fn expect_end_of_check(environment: &Environment) -> u32 {
    environment.with(|_, _| 0)
}

/// Posts a task that is queued when `delay` milliseconds have passed. The task is overdue when it
/// has then waited for more than `max_wait` milliseconds; with infinity, never, and with `None` the
/// setting decides. `task` and `word`, its destination, are encoded as in the shared words. Returns
/// whether a checkpoint has to be scheduled.
#[napi]
fn post_on_terms(
    env: Env,
    environment: u32,
    task: u32,
    word: u32,
    delay: f64,
    max_wait: Option<f64>,
) -> Result<bool> {
    let Entry::Post(task, destination) = Entry::from_words(task, word) else {
        return Err(failure("the word is not the destination of a task"));
    };
    let environment = find(&env, environment)?;
    let post = Post {
        deadline: (delay > 0.0).then(|| environment.deadline(delay)),
        max_wait: max_wait.map(nanoseconds),
    };
    environment
        .with(|event_loop, host| event_loop.post(host, task, destination, post))
        .map_err(queue_failure)
}

/// Lists all tasks that wait: the queued ones by enqueue order, then the delayed ones by deadline.
/// Each takes two numbers: its id, and the rank of its queue, plus 8 if it is delayed.
#[napi]
fn list_waiting(env: Env, environment: u32) -> Result<Uint32Array> {
    let waiting = find(&env, environment)?.with(EventLoop::waiting);
    let pairs = waiting.into_iter().flat_map(Waiting::numbers);
    Ok(Uint32Array::new(pairs.collect()))
}

/// Counts the queued tasks of each rank, the lowest first. Each rank takes three numbers: how many
/// there are, the id of the oldest, or 2^30, and the time in nanoseconds at which that one was
/// queued, or 0 if the time is unknown.
#[napi]
fn count_queued(env: Env, environment: u32) -> Result<Float64Array> {
    let queued = find(&env, environment)?.with(EventLoop::queued);
    let numbers = queued.into_iter().flat_map(Queued::numbers);
    Ok(Float64Array::new(numbers.collect()))
}

/// Describes the entry that has ended the last check pass by three numbers: the event for which
/// it waits (`WaitsFor` in `core/src/rules.rs`), its rank, and its id. Empty if no entry waits.
#[napi]
fn read_refused(env: Env, environment: u32) -> Result<Float64Array> {
    let refused = find(&env, environment)?.with(EventLoop::refused);
    let numbers = refused.map(Refused::numbers).into_iter().flatten();
    Ok(Float64Array::new(numbers.collect()))
}

/// Moves a queue to the priority of this rank. Returns whether a checkpoint has to be scheduled.
#[napi]
fn set_queue_priority(env: Env, environment: u32, queue: u32, rank: u32) -> Result<bool> {
    let priority = EffectivePriority::from_rank(rank)
        .ok_or_else(|| failure(format!("{rank} is not a rank: ranks are 0 to 6")))?;
    find(&env, environment)?
        .with(|event_loop, host| event_loop.set_priority(host, queue, priority))
        .map_err(queue_failure)
}

/// Sets the weight of a key. The default is 1.
#[napi]
fn set_key_weight(env: Env, environment: u32, key: u32, weight: f64) -> Result<()> {
    let environment = find(&env, environment)?;
    let is_set =
        environment.with(|event_loop, host| event_loop.flows_mut(host).set_weight(key, weight));
    is_set
        .then_some(())
        .ok_or_else(|| failure(format!("{key} cannot be the number of a key")))
}

/// Makes a key without flows a part of another key or, with `None`, of the entries without one.
#[napi]
fn open_part(env: Env, environment: u32, part: u32, whole: Option<u32>) -> Result<()> {
    let environment = find(&env, environment)?;
    let is_set =
        environment.with(|event_loop, host| event_loop.flows_mut(host).open_part(part, whole));
    is_set
        .then_some(())
        .ok_or_else(|| failure(format!("{part} cannot be the number of a key")))
}

/// Lets a part go where another key would or, with `None`, the entries without one.
#[napi]
fn join_part(env: Env, environment: u32, part: u32, other: Option<u32>) -> Result<()> {
    find(&env, environment)?
        .with(|event_loop, host| event_loop.flows_mut(host).join_part(part, other));
    Ok(())
}

/// Notes that something of a flow begins or ends to wait outside of the queues.
#[napi]
fn wait_outside(env: Env, environment: u32, flow: u32, waits: bool) -> Result<()> {
    let environment = find(&env, environment)?;
    let is_open =
        environment.with(|event_loop, host| event_loop.flows_mut(host).wait_outside(flow, waits));
    is_open
        .then_some(())
        .ok_or_else(|| failure(format!("flow {flow} is not open")))
}

/// Charges a flow, or code without a flow, for `time` nanoseconds that it has run outside of tasks
/// with the priority of this rank.
#[napi]
fn charge_outside(
    env: Env,
    environment: u32,
    flow: Option<u32>,
    rank: u32,
    time: f64,
) -> Result<()> {
    let Some(priority) = EffectivePriority::from_rank(rank) else {
        return Ok(());
    };
    find(&env, environment)?.with(|event_loop, host| {
        // The cast saturates.
        event_loop.charge_outside(host, flow, priority, time as u64);
    });
    Ok(())
}

/// Lists the keys. Each takes three numbers: the key, the number of its open flows, and the
/// nanoseconds for which its flows have run.
#[napi]
fn list_keys(env: Env, environment: u32) -> Result<Float64Array> {
    let numbers = find(&env, environment)?.with(|event_loop, host| {
        let keys = event_loop.flows_mut(host).keys();
        keys.flat_map(KeyUse::numbers).collect()
    });
    Ok(Float64Array::new(numbers))
}

/// Lists the thread times, in nanoseconds, at which the levels of this rank's priority end.
#[napi]
fn list_levels(env: Env, environment: u32, rank: u32) -> Result<Float64Array> {
    let ends = find(&env, environment)?.with(|event_loop, host| {
        let flows = event_loop.flows_mut(host);
        let ends = EffectivePriority::from_rank(rank).map(|priority| flows.levels(priority));
        ends.unwrap_or_default()
            .iter()
            .map(|end| *end as f64)
            .collect()
    });
    Ok(Float64Array::new(ends))
}

/// The level of a flow, from 0.
#[napi]
fn level_of_flow(env: Env, environment: u32, flow: u32) -> Result<u32> {
    let level =
        find(&env, environment)?.with(|event_loop, host| event_loop.flows_mut(host).level(flow));
    Ok(level.unwrap_or(0))
}

/// Forgets a key that has no open flow, unless the key is ahead of others that wait. Returns
/// whether the key is forgotten.
#[napi]
fn forget_key(env: Env, environment: u32, key: u32) -> Result<bool> {
    Ok(find(&env, environment)?.with(|event_loop, host| event_loop.flows_mut(host).forget(key)))
}

/// Lets other threads read the idle time of this loop.
#[napi]
fn share_idle_time(env: Env, environment: u32) -> Result<()> {
    find(&env, environment)?.host.uv.share_idle_time();
    Ok(())
}

/// The milliseconds for which the loop that shares them has waited for events; -1 without one. For
/// any thread of the process, also without an environment.
#[napi]
fn read_idle_time() -> f64 {
    let per_millisecond = NANOSECONDS_PER_MILLISECOND as f64;
    uv::shared_idle_time().map_or(-1.0, |time| time as f64 / per_millisecond)
}

/// Milliseconds until something other than a task is runnable: 0 if something is runnable now,
/// infinity if no timer is set. The answer is right only in the check phase.
#[napi]
fn time_to_next(env: Env, environment: u32) -> Result<f64> {
    let uv = &find(&env, environment)?.host.uv;
    if uv.is_io_ready() {
        return Ok(0.0);
    }
    let per_millisecond = NANOSECONDS_PER_MILLISECOND as f64;
    Ok(uv
        .time_to_next()
        .map_or(f64::INFINITY, |time| time as f64 / per_millisecond))
}

/// Sets the time slice: the milliseconds that tasks may take in one turn of the loop. With 0, each
/// check phase runs one task, and checkpoints run none.
#[napi]
fn set_time_slice(env: Env, environment: u32, milliseconds: f64) -> Result<()> {
    let slice = nanoseconds(milliseconds);
    find(&env, environment)?.with(|event_loop, host| event_loop.set_time_slice(host, slice));
    Ok(())
}

/// Sets the conditions on which background work starts: with 0, this loop is idle; with 1, the
/// container's CPU quota also has time left; with 2, no other thread wants the processor either.
#[napi]
fn set_idle(env: Env, environment: u32, mode: u32) -> Result<()> {
    let mode = IDLE_MODES.get(mode as usize).copied();
    let mode = mode.ok_or_else(|| failure("the idle modes are 0, 1 and 2"))?;
    let environment = find(&env, environment)?;
    environment.host.idle.borrow_mut().set_mode(mode);
    environment.with(EventLoop::reconsider_hold);
    Ok(())
}

/// While `is_lifted`, no hold delays background work.
#[napi]
fn lift_hold(env: Env, environment: u32, is_lifted: bool) -> Result<()> {
    find(&env, environment)?.with(|event_loop, host| event_loop.lift_hold(host, is_lifted));
    Ok(())
}

/// Lets no work below user-blocking start for so many milliseconds, unless it is overdue. With 0,
/// ends such a pause.
#[napi]
fn pause_for(env: Env, environment: u32, milliseconds: f64) -> Result<()> {
    let time = nanoseconds(milliseconds);
    find(&env, environment)?.with(|event_loop, host| event_loop.pause_for(host, time));
    Ok(())
}

/// The milliseconds for which tasks have run so far.
#[napi]
fn task_time(env: Env, environment: u32) -> Result<f64> {
    let time = find(&env, environment)?.with(EventLoop::task_time);
    Ok(time as f64 / NANOSECONDS_PER_MILLISECOND as f64)
}

/// Reads three numbers: the nanoseconds for which background work was held for the container, and
/// for the machine; and the reason of the hold under way: 1 the container, 2 the machine, 0 none.
#[napi]
fn read_held(env: Env, environment: u32) -> Result<Float64Array> {
    let Held { time, reason } = find(&env, environment)?.with(EventLoop::held);
    let reason = reason.map_or(0, |reason| reason.index() + 1);
    let numbers = time.map(|time| time as f64).into_iter();
    Ok(Float64Array::new(numbers.chain([reason as f64]).collect()))
}

/// Sets after how many milliseconds queued user-visible and background work is overdue; with
/// infinity, never.
#[napi]
fn set_max_wait(env: Env, environment: u32, user_visible: f64, background: f64) -> Result<()> {
    let bound = |milliseconds: f64| milliseconds.is_finite().then(|| nanoseconds(milliseconds));
    let max_wait = MaxWait {
        user_visible: bound(user_visible),
        background: bound(background),
    };
    find(&env, environment)?.with(|event_loop, host| event_loop.set_max_wait(host, max_wait));
    Ok(())
}

fn thread(env: &Env) -> Option<&Thread> {
    host::instance(env)?.downcast_ref()
}

fn find(env: &Env, number: u32) -> Result<Rc<Environment>> {
    thread(env)
        .and_then(|thread| thread.places.borrow().get(number as usize)?.environment())
        .ok_or_else(not_started)
}

fn compare_numbers(numbers: &[u32]) -> Result<()> {
    for (index, (name, expected)) in NUMBERS.into_iter().enumerate() {
        let received = numbers.get(index);
        if received != Some(&expected) {
            let received = received.map_or("nothing".into(), u32::to_string);
            return Err(failure(format!(
                "uv-scheduler's JavaScript and its native addon are of different versions: \
                 {name} is {received} in JavaScript and {expected} in the addon"
            )));
        }
    }
    Ok(())
}

fn not_started() -> Error {
    failure("start() was not called for this environment")
}

fn queue_failure(error: QueueError) -> Error {
    failure(error.to_string())
}

fn failure(reason: impl Into<String>) -> Error {
    Error::new(Status::GenericFailure, reason.into())
}
