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

use napi::bindgen_prelude::{Either, Float64Array, Function, JsObjectValue, Object, Uint32Array};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;
use uv_scheduler_core::event_loop::{Answer, Check, EventLoop};
use uv_scheduler_core::host::{Handles, Hold, Host, Inbox, NANOSECONDS_PER_MILLISECOND};
use uv_scheduler_core::protocol::{Entry, NO_TASK, NUMBERS, WORDS};
use uv_scheduler_core::shared::Shared;
use uv_scheduler_idle::{Idle, Mode};

use crate::callback::{self, Reference, SharedWords};
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
    run_tasks: Reference,
    /// The function that calls [`Environment::run_pass`].
    run_pass: Reference,
    end_check: Reference,
    /// The check passes under way, the innermost last: a nested run of the loop has its own.
    passes: RefCell<Vec<Pass>>,
    phase: Rc<Phase>,
    /// Whether its hooks also run while it rests.
    is_first: bool,
    is_resting: Cell<bool>,
    /// The number of check phases up to its rest.
    rested_at: Cell<u64>,
}

/// A check pass under way.
struct Pass {
    check: Check,
    /// The task that was taken last.
    task: u32,
    /// The number of tasks that JavaScript had begun when this one was taken.
    begun: u32,
    /// How often JavaScript was called without beginning this task.
    retries: u32,
    has_ended: bool,
}

/// The loop as the core sees it.
struct NodeHost {
    uv: Rc<Uv>,
    shared: Shared<SharedWords>,
    idle: RefCell<Idle>,
}

/// A function that JavaScript calls.
type Call = fn(&Environment) -> u32;

/// The number of retries of a call that has begun no task.
const RETRIES: u32 = 3;

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

    fn time_to_next(&self) -> Option<u64> {
        self.uv.time_to_next()
    }

    fn hold(&self, now: u64, background: u64) -> Option<Hold> {
        self.idle.borrow_mut().hold(now, background)
    }

    fn set_idle(&self, mode: u32) {
        if let Some(mode) = IDLE_MODES.get(mode as usize) {
            self.idle.borrow_mut().set_mode(*mode);
        }
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
        let uv = Uv::open(env)
            .map_err(|error| failure(format!("uv-scheduler cannot run with its addon: {error}")))?;
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
    /// The functions that JavaScript calls without arguments, by name. In place of a task to run at
    /// once, [`NO_TASK`].
    const CALLS: [(&CStr, Call); 5] = [
        // Returns 1 if a checkpoint has to be scheduled.
        (c"flush", |own| own.with(EventLoop::flush).into()),
        (c"nextInCheck", |own| own.next_in_check().unwrap_or(NO_TASK)),
        (c"nextAtCheckpoint", |own| {
            own.with(EventLoop::next_at_checkpoint).unwrap_or(NO_TASK)
        }),
        (c"shouldYield", Self::should_yield),
        // Reads the clock into the shared words.
        (c"readTime", |own| {
            own.host.now();
            0
        }),
    ];

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
            let once = Cell::new(true);
            // If JavaScript cannot be called, there is nothing to tidy up.
            self.end_check
                .call_back_while(|| once.replace(false), || false);
        } else if may_rest {
            self.rest();
        }
    }

    /// Runs the check pass. Each callback runs as many tasks as JavaScript can run with their ticks
    /// and microtasks.
    fn run_check(&self, check: Check) {
        self.passes.borrow_mut().push(Pass {
            check,
            task: NO_TASK,
            begun: 0,
            retries: 0,
            has_ended: false,
        });
        self.run_pass
            .call_back_while(|| self.goes_on(), || self.unbegun().is_none());
        // JavaScript cannot be called: the next check phase tries again.
        if let Some(task) = self.unbegun() {
            self.with(|event_loop, host| event_loop.give_back(host, task));
        }
        let pass = self.passes.borrow_mut().pop();
        if let Some(Pass { check, .. }) = pass {
            self.with(|event_loop, host| event_loop.end_check(host, check));
        }
    }

    /// Whether the pass has a task to begin, and JavaScript may be able to.
    fn goes_on(&self) -> bool {
        if self.unbegun().is_none() {
            return self.next_in_check().is_some();
        }
        let mut passes = self.passes.borrow_mut();
        passes.last_mut().is_some_and(|pass| {
            pass.retries += 1;
            pass.retries <= RETRIES
        })
    }

    /// Calls JavaScript inside the callback scope of the pass.
    fn run_pass(&self) -> u32 {
        if let Some(task) = self.unbegun() {
            // Without a call, the pass sees that nothing has begun.
            let _ = self
                .run_tasks
                .call_within(task, || self.unbegun().is_none());
        }
        0
    }

    /// The task that the innermost pass has taken, if JavaScript has not begun it.
    fn unbegun(&self) -> Option<u32> {
        let passes = self.passes.borrow();
        let pass = passes.last()?;
        let has_begun = self.host.shared.begun() != pass.begun;
        (pass.task != NO_TASK && !has_begun).then_some(pass.task)
    }

    /// Takes the next task of the innermost pass.
    fn next_in_check(&self) -> Option<u32> {
        let mut passes = self.passes.borrow_mut();
        let pass = passes.last_mut().filter(|pass| !pass.has_ended)?;
        let next = self.with(|event_loop, host| event_loop.next_in_check(host, &mut pass.check));
        pass.task = next.unwrap_or(NO_TASK);
        pass.begun = self.host.shared.begun();
        pass.retries = 0;
        pass.has_ended = next.is_none();
        next
    }

    /// The bits of the answer to the code that the shared words describe.
    fn should_yield(&self) -> u32 {
        let code = self.host.shared.take_code();
        code.map_or(0, |code| {
            self.with(|event_loop, host| event_loop.should_yield(host, code))
                .bits()
        })
    }

    /// Releases the references. JavaScript cannot be called from here on.
    fn release(&self) {
        self.calls.release();
        self.run_tasks.release();
        self.run_pass.release();
        self.end_check.release();
        self.host.shared.words.release();
    }
}

/// Starts an environment and returns its number. Throws if the addon cannot run in this host, or
/// if `numbers` differ from those of `core/src/protocol.rs`.
///
/// Calls `calls.runTasks(id)` to start the task with this id, and those that `nextInCheck()`
/// returns then, if all ticks and microtasks can run in between; and `calls.endCheck()` at the end
/// of a check phase if `words` ask for it. Adds the functions `flush`, `nextInCheck`,
/// `nextAtCheckpoint`, `shouldYield` and `readTime` to `calls`, which take no arguments. The
/// environment ends when `calls` is collected, which has the functions and the words.
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
    if thread(&env).is_none() {
        host::set_instance(&env, Box::new(Thread::default()))?;
    }
    let thread = thread(&env).ok_or_else(not_started)?;
    let (number, place) = thread.free_place(&env)?;
    let passing = Rc::clone(&place);
    let run_pass = move || passing.environment().map_or(0, |own| own.run_pass());
    callback::define_function(&env, &calls, c"runPass", Box::new(run_pass))?;
    let function = |name| -> Result<_> {
        Reference::new(&env, &calls.get_named_property::<Function<(), ()>>(name)?)
    };
    let environment = Rc::new(Environment {
        event_loop: RefCell::default(),
        host: NodeHost {
            uv: Rc::clone(&place.uv),
            shared: Shared { words },
            idle: RefCell::new(Idle::new(host::THREAD_CALLS)),
        },
        calls: Reference::new(&env, &calls)?,
        run_tasks: function("runTasks")?,
        run_pass: function("runPass")?,
        end_check: function("endCheck")?,
        passes: RefCell::default(),
        phase: Rc::clone(&thread.phase),
        is_first: place.is_first,
        is_resting: Cell::new(true),
        rested_at: Cell::new(thread.phase.checks.get()),
    });
    for (name, call) in Environment::CALLS {
        let own = Rc::clone(&environment);
        callback::define_function(&env, &calls, name, Box::new(move || call(&own)))?;
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

/// Answers a question: see [`EventLoop::ask`].
#[napi]
fn ask(env: Env, environment: u32, question: u32, about: u32) -> Result<Either<f64, Float64Array>> {
    let environment = find(&env, environment)?;
    let answer = environment.with(|event_loop, host| event_loop.ask(host, question, about));
    Ok(match answer {
        Answer::Number(number) => Either::A(number),
        Answer::List(list) => Either::B(Float64Array::new(list)),
    })
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

fn failure(reason: impl Into<String>) -> Error {
    Error::new(Status::GenericFailure, reason.into())
}
