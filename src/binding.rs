//! The functions that JavaScript sees, and what the loop hooks do.
//!
//! Owns the state of one environment: its event loop's scheduler, the libuv handles, the function
//! that runs a task, the outbox. Translates between them and decides nothing: what runs when is
//! [`crate::event_loop`]'s matter.
//!
//! Tasks and queues are numbers here. JavaScript numbers the tasks: ids are places in its table.
//! Environments are numbers, too: test runners load the package into several contexts of one thread
//! on one native module, and each is an environment of its own.

use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;

use napi::bindgen_prelude::{Function, Object};
use napi::{Env, Error, Result, Status};
use napi_derive::napi;

use crate::callback::{self, JsFunction, NO_TASK, SharedWords};
use crate::drain::{Host, NANOSECONDS_PER_MILLISECOND};
use crate::event_loop::{Attention, Destination, EventLoop};
use crate::outbox::{Outbox, REMOVED};
use crate::priority::{EffectivePriority, NotAPriority};
use crate::task_queues::{MAX_TASKS, QueueError, TaskQueues};
use crate::uv::{Hooks, Uv};

/// In place of a task's id: the check phase is over.
const CHECK_IS_OVER: u32 = MAX_TASKS as u32;

/// Past this many milliseconds the wake-up for a delayed task is set anew instead of waited out.
const LONGEST_TIMER: u64 = i32::MAX as u64;

/// All environments that were started on this native module, by their numbers.
type Environments = RefCell<Vec<Rc<Environment>>>;

/// Everything that one environment has of the addon.
struct Environment {
    event_loop: RefCell<EventLoop>,
    uv: Uv,
    run: JsFunction,
    outbox: Outbox,
    /// Whether the prepare handle keeps the process alive.
    held: Cell<bool>,
    /// Whether a task has started since then.
    started: Cell<bool>,
    /// Whether the next poll phase cannot block.
    awake: Cell<bool>,
    /// The deadline that the timer was started for.
    timer: Cell<Option<u64>>,
}

impl Environment {
    /// The event loop, with all tasks that were posted.
    fn event_loop(&self) -> RefMut<'_, EventLoop> {
        let mut event_loop = self.event_loop.borrow_mut();
        self.collect(&mut event_loop);
        event_loop
    }

    /// Moves the tasks in the outbox to their queues, and takes out those that are removed; returns
    /// the highest priority among the new ones.
    fn collect(&self, event_loop: &mut EventLoop) -> Option<EffectivePriority> {
        let mut highest = None;
        self.outbox.collect(|task, word| {
            // `lib/event-loop.js` posts with an id that is not in use, and removes what waits.
            if word == REMOVED {
                let removed = event_loop.remove(task);
                debug_assert_eq!(removed, Ok(()), "removing task {task}");
            } else {
                let posted = event_loop.post(task, destination(word));
                debug_assert!(posted.is_ok(), "posting {task} to {word}: {posted:?}");
                highest = highest.max(posted.ok());
            }
        });
        highest
    }

    /// Something waits: the loop has to come to its check phase, and the process to stay.
    fn hold(&self) {
        if !self.held.replace(true) {
            self.uv.hold(true);
        }
        if self.event_loop.borrow().is_in_poll_phase() {
            self.prevent_blocking();
        }
    }

    /// Lets the process end if nothing waits. Once a task has started, only the check hook may do
    /// this: a loop that was released elsewhere could end before `beforeExit` has been emitted for
    /// that task.
    fn release_if_empty(&self) {
        if self.event_loop().is_empty() && self.held.replace(false) {
            self.started.set(false);
            self.uv.hold(false);
        }
    }

    fn prevent_blocking(&self) {
        if !self.awake.replace(true) {
            self.uv.prevent_blocking();
        }
    }

    fn allow_blocking(&self) {
        if self.awake.replace(false) {
            self.uv.allow_blocking();
        }
    }

    /// Tells JavaScript which tasks it has to tell of.
    fn update_attention(&self) {
        let event_loop = self.event_loop.borrow();
        let set_up = self.held.get() && (self.awake.get() || !event_loop.is_in_poll_phase());
        let attention = if set_up {
            event_loop.attention()
        } else {
            Attention::Any
        };
        self.outbox.set_attention(match attention {
            Attention::Any => 0,
            Attention::Urgent => TaskQueues::fixed_queue(EffectivePriority::LOWEST_AT_CHECKPOINT),
            Attention::None => u32::MAX,
        });
    }

    /// Sets the timer to the next deadline.
    fn update_timer(&self) {
        let deadline = self.event_loop.borrow().next_deadline();
        if self.timer.replace(deadline) == deadline {
            return;
        }
        match deadline {
            Some(deadline) => self.start_timer(deadline),
            None => self.uv.stop_timer(),
        }
    }

    fn start_timer(&self, deadline: u64) {
        let wait = deadline
            .saturating_sub(self.uv.now())
            .div_ceil(NANOSECONDS_PER_MILLISECOND);
        self.uv.start_timer(wait.clamp(1, LONGEST_TIMER));
    }

    fn tell_end_of_check(&self) {
        let mut call = Some(CHECK_IS_OVER);
        if self.run.call_each(|| call.take()).is_err() {
            self.stop();
        }
    }

    /// The environment is ending under our feet: runs nothing more, and keeps nothing waiting.
    fn stop(&self) {
        self.run.release();
        self.uv.allow_blocking();
        self.uv.stop_timer();
        self.uv.hold(false);
    }

    /// The environment ends: gives up what belongs to it.
    fn end(&self, done: callback::Done) {
        self.run.release();
        self.outbox.0.release();
        self.uv.close(done);
    }
}

impl Hooks for Environment {
    fn on_prepare(&self) {
        let mut event_loop = self.event_loop();
        if event_loop.is_draining() {
            self.uv.restore_checks();
        }
        let must_not_block = event_loop.prepare();
        drop(event_loop);
        if self.held.get() {
            if must_not_block {
                self.prevent_blocking();
            }
            self.update_attention();
        }
    }

    fn on_check(&self) {
        // First of all: an active idle handle reads as something that is runnable.
        self.allow_blocking();
        let begun = self.event_loop().begin_check(&self.uv);
        if let Some((mut drain, outer)) = begun {
            self.update_attention();
            let drained = self
                .run
                .call_each(|| self.event_loop().next_in_check(&mut drain, &self.uv));
            self.event_loop().end_check(outer);
            if drained.is_err() {
                return self.stop();
            }
            self.update_timer();
        }
        // Else nothing waits, and has not since the last turn.
        if self.held.get() {
            self.release_if_empty();
            self.update_attention();
        }
        if self.outbox.take_end_of_check() {
            self.tell_end_of_check();
        }
    }

    fn on_timer(&self) {
        self.timer.set(None);
        self.event_loop().queue_due(&self.uv);
        self.update_timer();
    }
}

/// Prepares an environment; returns its number, which every other function takes. Throws if the
/// host is not one that the addon can work in.
///
/// `run` is called on `receiver` with the id of each task when its turn has come, and with 2^30 at
/// the end of a check phase if `outbox` asks for it; given another number it does nothing. `outbox`
/// is a `Uint32Array`.
#[napi]
fn start(env: Env, run: Function<u32, ()>, receiver: Object, outbox: Object) -> Result<u32> {
    let uv = Uv::open(&env)
        .map_err(|error| failure(format!("uv-scheduler cannot run in this process: {error}")))?;
    let environment = Rc::new(Environment {
        event_loop: RefCell::default(),
        uv,
        run: JsFunction::new(&env, &run, &receiver)?,
        outbox: Outbox(SharedWords::new(&env, &outbox)?),
        held: Cell::new(false),
        started: Cell::new(false),
        awake: Cell::new(false),
        timer: Cell::new(None),
    });
    let ending = Rc::clone(&environment);
    callback::on_environment_end(&env, Box::new(move |done| ending.end(done)))?;
    if environments(&env).is_none() {
        callback::set_instance(&env, Box::new(Environments::default()))?;
    }
    let all = environments(&env).ok_or_else(not_started)?;
    let number = all.borrow().len();
    environment.uv.start(environment.clone());
    all.borrow_mut().push(environment);
    u32::try_from(number).map_err(|_| failure("too many environments"))
}

/// Tells of the tasks in the outbox. Returns whether a checkpoint has to be scheduled.
#[napi]
fn attend(env: Env, environment: u32) -> Result<bool> {
    let environment = find(&env, environment)?;
    let needs_checkpoint = {
        let mut event_loop = environment.event_loop.borrow_mut();
        let highest = environment.collect(&mut event_loop);
        highest.is_some_and(|priority| event_loop.needs_checkpoint(priority))
    };
    environment.hold();
    environment.update_attention();
    Ok(needs_checkpoint)
}

/// Posts a task when `delay` milliseconds have passed, to a queue named as in the outbox.
#[napi]
fn post_delayed(env: Env, environment: u32, task: u32, word: u32, delay: f64) -> Result<()> {
    let environment = find(&env, environment)?;
    // The cast saturates: what is too long to count in nanoseconds is never due.
    let delay = (delay as u64).saturating_mul(NANOSECONDS_PER_MILLISECOND);
    let deadline = environment.uv.now().saturating_add(delay);
    let destination = destination(word);
    let posted = environment
        .event_loop()
        .post_delayed(task, destination, deadline);
    posted.map_err(queue_failure)?;
    environment.hold();
    environment.update_timer();
    environment.update_attention();
    Ok(())
}

/// Tells that tasks in the outbox were removed.
#[napi]
fn finish_removal(env: Env, environment: u32) -> Result<()> {
    let environment = find(&env, environment)?;
    let is_draining = environment.event_loop().is_draining();
    environment.update_timer();
    if environment.started.get() || is_draining {
        // Whatever the loop waits for, it is not those tasks any more.
        environment.hold();
    } else {
        environment.release_if_empty();
        environment.update_attention();
    }
    Ok(())
}

/// Moves a queue to another effective priority. Returns whether a checkpoint has to be scheduled.
#[napi]
fn set_queue_priority(env: Env, environment: u32, queue: u32, priority: i32) -> Result<bool> {
    let priority = effective(priority)?;
    let environment = find(&env, environment)?;
    let changed = environment.event_loop().set_priority(queue, priority);
    environment.update_attention();
    changed.map_err(queue_failure)
}

/// Takes the next task of the checkpoint drain, to be run at once. 4294967295 if there is none.
#[napi]
fn next_at_checkpoint(env: Env, environment: u32) -> Result<u32> {
    let environment = find(&env, environment)?;
    let next = environment.event_loop().next_at_checkpoint(&environment.uv);
    environment
        .started
        .set(environment.started.get() || next.is_some());
    environment.update_attention();
    Ok(next.unwrap_or(NO_TASK))
}

/// Milliseconds until something other than a task is runnable: 0 if something is, infinity if
/// nothing is to come. Meant for the check phase.
#[napi]
fn time_to_next(env: Env, environment: u32) -> Result<f64> {
    let uv = &find(&env, environment)?.uv;
    if uv.is_io_ready() {
        return Ok(0.0);
    }
    let per_millisecond = NANOSECONDS_PER_MILLISECOND as f64;
    Ok(uv
        .time_to_next()
        .map_or(f64::INFINITY, |time| time as f64 / per_millisecond))
}

/// Sets how many milliseconds tasks may hold one turn of the loop.
#[napi]
fn set_time_slice(env: Env, environment: u32, milliseconds: f64) -> Result<()> {
    // The cast saturates. With 0 each check phase runs one task, and checkpoints none.
    let slice = (milliseconds * NANOSECONDS_PER_MILLISECOND as f64) as u64;
    let environment = find(&env, environment)?;
    environment.event_loop().set_time_slice(slice);
    environment.update_attention();
    Ok(())
}

/// Sets after how many milliseconds background tasks run as user-visible ones; infinity: never.
#[napi]
fn set_background_timeout(env: Env, environment: u32, milliseconds: f64) -> Result<()> {
    let timeout = milliseconds * NANOSECONDS_PER_MILLISECOND as f64;
    // The cast saturates.
    let timeout = timeout.is_finite().then_some(timeout as u64);
    find(&env, environment)?
        .event_loop()
        .set_background_timeout(timeout);
    Ok(())
}

fn environments(env: &Env) -> Option<&Environments> {
    callback::instance(env)?.downcast_ref()
}

fn find(env: &Env, number: u32) -> Result<Rc<Environment>> {
    environments(env)
        .and_then(|all| all.borrow().get(number as usize).cloned())
        .ok_or_else(not_started)
}

fn not_started() -> Error {
    failure("start() was not called for this environment")
}

/// What a word in the outbox names: the upper bits are the id of a queue, the lower three the place
/// of its effective priority on the scale. The queues of fixed effective priority have the ids 0 to
/// 6; all others are queues whose priority can change.
fn destination(word: u32) -> Destination {
    let last = EffectivePriority::ALL.len() - 1;
    let priority = EffectivePriority::ALL[last.min((word & 7) as usize)];
    match word >> 3 {
        0..7 => Destination::Fixed(priority),
        queue => Destination::Dynamic { queue, priority },
    }
}

fn effective(priority: i32) -> Result<EffectivePriority> {
    EffectivePriority::try_from(priority).map_err(|NotAPriority(number)| {
        failure(format!(
            "effective priorities go from -1 to 5, not {number}"
        ))
    })
}

fn queue_failure(error: QueueError) -> Error {
    failure(match error {
        QueueError::NoSuchQueue(queue) => format!("there is no queue {queue}"),
        QueueError::NoSuchTask(task) => format!("there is no task {task}"),
        QueueError::BadTaskId(task) => format!("{task} cannot be the id of a new task"),
    })
}

fn failure(reason: impl Into<String>) -> Error {
    Error::new(Status::GenericFailure, reason.into())
}
