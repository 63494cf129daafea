//! All state of one event loop, and the state that its handles should have.
//!
//! Each hook of the loop and each call from JavaScript is one function here. `run` takes the
//! entries of JavaScript before it, and publishes behind it. Only `publish` decides whether the
//! process is kept alive, whether poll may block, when the timer wakes the loop, and which tasks
//! JavaScript has to flush at once.

mod answers;
mod published;

use crate::advice::{self, Advice, Code};
use crate::fair_queues::FairQueues;
use crate::hold::{Held, Holding};
use crate::host::{Host, Inbox, Loop, NANOSECONDS_PER_MILLISECOND};
use crate::meter::{Meter, Pass, Running};
use crate::priority::EffectivePriority;
use crate::protocol::{Destination, Entry, NO_TASK, Terms};
use crate::rules::{Place, WaitsFor};
use crate::task_queue::TaskId;
use crate::task_queues::{Choice, Post, QueueError, TaskQueues, Waiting};
use crate::thread_time::ThreadTime;
use crate::turn::{CheckPass, Question, Turn};

pub use self::answers::Answer;
use self::published::Published;

/// The longest sleep, in nanoseconds, after a pass that yielded to other work. That work may be
/// gone before the next turn.
const FALLBACK: u64 = NANOSECONDS_PER_MILLISECOND;

/// The scheduler's side of one libuv loop.
#[derive(Debug, Default)]
pub struct EventLoop {
    queues: TaskQueues,
    turn: Turn,
    meter: Meter,
    holding: Holding,
    /// Between the prepare and the check hook. It is also false in two cases inside a poll phase:
    /// before the first prepare hook, as workers and the ES modules of Node 20 start in one, and
    /// after a nested run. Tasks then start at checkpoints instead of in the check phase.
    in_poll_phase: bool,
    /// A check pass is under way, here or further up the stack.
    in_check_pass: bool,
    /// A checkpoint has started a task that keeps the process alive, since the loop was last
    /// released.
    has_started: bool,
    /// When the timer wakes the loop after a pass that yielded to other work.
    fallback: Option<u64>,
    /// The entry that has ended the last check pass.
    refused: Option<Refused>,
    /// An entry that has left its queue, and that JavaScript could not begin.
    unstarted: Option<TaskId>,
    published: Published,
    /// The time at which code last asked whether to yield.
    last_asked: Option<u64>,
    thread_time: ThreadTime,
}

/// The queued tasks of one effective priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// The number of tasks.
    pub count: u32,
    /// The oldest task.
    pub oldest: Option<TaskId>,
    /// The time at which that one was queued: see [`TaskQueues::queued_at`].
    pub queued_at: u64,
}

impl Queued {
    /// The three numbers that JavaScript receives: the count, the oldest task or [`NO_TASK`], and
    /// the time.
    #[must_use]
    pub fn numbers(self) -> [f64; 3] {
        let oldest = self.oldest.unwrap_or(NO_TASK);
        [self.count.into(), oldest.into(), self.queued_at as f64]
    }
}

/// The first entry of the queues, if a check pass did not start it. All others wait behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The entry.
    pub task: TaskId,
    /// The effective priority of its queue.
    pub priority: EffectivePriority,
    /// The event for which it waits.
    pub waits_for: WaitsFor,
}

impl Refused {
    /// The three numbers that JavaScript receives: the event, the rank and the task.
    #[must_use]
    pub fn numbers(self) -> [f64; 3] {
        let event = self.waits_for as u32;
        [event, self.priority.rank(), self.task].map(f64::from)
    }
}

/// A check pass under way, from [`EventLoop::begin_check`] to [`EventLoop::end_check`].
#[derive(Debug)]
pub struct Check {
    pass: CheckPass,
    was_in_check_pass: bool,
    /// The task that runs the loop from inside, if this is a nested run.
    around: Option<Running>,
}

impl EventLoop {
    /// Takes the entries that JavaScript flushes. Returns whether a checkpoint has to be scheduled.
    /// Stops keeping the process alive, and waking the loop, for tasks that were removed.
    pub fn flush(&mut self, host: &impl Loop) -> bool {
        self.run(host, |own, highest| {
            if !own.has_started && !own.in_check_pass {
                own.release(host);
            }
            highest.is_some_and(|priority| own.needs_checkpoint(priority))
        })
    }

    /// Lists all tasks that wait, in the order of [`TaskQueues::waiting`].
    pub fn waiting(&mut self, host: &impl Loop) -> Vec<Waiting> {
        self.run(host, |own, _| own.queues.queue_due(host.now()));
        self.queues.waiting()
    }

    /// The number and the oldest of the queued tasks of each effective priority, the lowest first.
    pub fn queued(&mut self, host: &impl Loop) -> [Queued; EffectivePriority::ALL.len()] {
        self.run(host, |own, _| own.queues.queue_due(host.now()));
        EffectivePriority::ALL.map(|priority| {
            let oldest = self.queues.oldest(priority).map(|choice| choice.task);
            Queued {
                count: self.queues.queued_of(priority),
                oldest,
                queued_at: oldest.map_or(0, |task| self.queues.queued_at(task)),
            }
        })
    }

    /// The entry that has ended the last check pass, if it still waits.
    pub fn refused(&mut self, host: &impl Loop) -> Option<Refused> {
        self.run(host, |_, _| ());
        self.refused
            .filter(|entry| self.queues.contains(entry.task))
    }

    /// The rank of the task that was started last; 0 before the first one.
    #[must_use]
    pub fn rank_of_started(&self) -> u32 {
        self.queues.last_taken().map_or(0, EffectivePriority::rank)
    }

    /// The queues, without the entries that were not taken in yet.
    #[must_use]
    pub fn queues(&self) -> &TaskQueues {
        &self.queues
    }

    /// The flows and their keys. A change of them moves no entry to another priority, so it changes
    /// nothing that is published.
    pub fn flows_mut(&mut self, host: &impl Loop) -> &mut FairQueues {
        // A flow may have been opened just now.
        self.run(host, |_, _| ());
        self.queues.flows_mut()
    }

    /// Nanoseconds for which tasks have run so far. From the first question on, the last task of a
    /// check pass counts, too.
    pub fn task_time(&mut self, host: &impl Loop) -> u64 {
        self.run(host, |_, _| ());
        self.meter.task_time(host.now())
    }

    /// The time that was spent in holds, and the reason of the hold under way.
    pub fn held(&mut self, host: &impl Loop) -> Held {
        // A hold ends there if nothing is held any more.
        self.run(host, |_, _| ());
        self.holding.held(host.now())
    }

    /// Takes the task that the next round of a chain of checkpoints starts. `None` ends the chain.
    pub fn next_at_checkpoint(&mut self, host: &impl Loop) -> Option<TaskId> {
        self.run(host, |own, _| {
            let now = host.now();
            own.ended(host, now);
            let before = own.queues.referenced();
            let choice = own.turn.next_at_checkpoint(now, &mut own.queues, host);
            let next = choice.map(|choice| own.started(host, choice, Pass::Checkpoint, now));
            own.has_started |= own.queues.referenced() < before;
            next
        })
    }

    /// Whether code should yield: see [`Turn::should_yield`].
    pub fn should_yield(&mut self, host: &impl Loop, code: Code) -> Advice {
        self.run(host, |own, _| own.advise(host, code))
    }

    fn advise(&mut self, host: &impl Loop, code: Code) -> Advice {
        let now = host.now();
        let last_asked = self.last_asked.replace(now);
        let place = if self.in_poll_phase {
            Place::Poll
        } else if self.in_check_pass {
            Place::Check
        } else {
            Place::Elsewhere
        };
        let Published {
            is_awake,
            is_referenced,
            ..
        } = self.published;
        let is_busy = || advice::is_busy(host, is_awake, is_referenced);
        let question = Question {
            code,
            place,
            at: self.meter.read(now),
        };
        let background = self.meter.background();
        let is_held = || self.holding.ask(now, background, host);
        let (turn, queues) = (&mut self.turn, &mut self.queues);
        let should_yield = turn.should_yield(question, queues, host, is_busy, is_held);
        let has_unseen_end = !turn.quantum.is_of_task();
        Advice {
            should_yield,
            may_repeat: Advice::may_repeat(last_asked, now),
            has_unseen_end,
        }
    }

    /// The prepare hook: the loop is about to poll.
    pub fn prepare(&mut self, host: &impl Loop) {
        self.run(host, |own, _| {
            if own.in_check_pass {
                host.restore_checks();
            }
            own.begin_poll();
        });
    }

    /// The check hook: the loop has polled. Begins the check pass, unless no task waits.
    pub fn begin_check(&mut self, host: &impl Loop) -> Option<Check> {
        // Published before any question: the idle handle, while active, reads as something that is
        // runnable.
        let was_in_check_pass = self.run(host, |own, _| {
            own.begin_turn(host);
            own.release(host);
            let begins = !own.is_empty();
            begins.then(|| std::mem::replace(&mut own.in_check_pass, true))
        })?;
        let now = host.now();
        Some(Check {
            around: self.meter.begin_check(now),
            pass: CheckPass::begin(now, &mut self.turn, &mut self.queues),
            was_in_check_pass,
        })
    }

    /// Takes the next task of a check pass. `None` ends the pass; [`Self::end_check`] publishes.
    pub fn next_in_check(&mut self, host: &impl Loop, check: &mut Check) -> Option<TaskId> {
        self.take_in(host);
        if let Some(task) = self.unstarted.take() {
            return Some(task);
        }
        if self.queues.is_empty() {
            self.ended_as_last(host);
            return None;
        }
        let now = host.now();
        self.ended(host, now);
        let background = self.meter.background();
        let is_held = || self.holding.ask(now, background, host);
        let (turn, queues) = (&mut self.turn, &mut self.queues);
        let choice = check.pass.next(now, turn, queues, host, is_held)?;
        Some(self.started(host, choice, Pass::Check, now))
    }

    /// Ends a check pass. Lets the process end if no task waits.
    pub fn end_check(&mut self, host: &impl Loop, check: Check) {
        self.run(host, |own, _| {
            own.in_check_pass = check.was_in_check_pass;
            check.pass.end(&mut own.turn, &own.queues);
            own.refused = check.pass.refused().map(|(choice, waits_for)| Refused {
                task: choice.task,
                priority: choice.priority,
                waits_for,
            });
            own.meter.end_check(check.around);
            if check.pass.has_given_way() && !own.in_check_pass && !own.is_empty() {
                own.fallback = Some(host.now().saturating_add(FALLBACK));
            }
            own.release(host);
        });
    }

    /// Takes back an entry that a check pass has taken, as JavaScript cannot be called. The next
    /// pass starts with the entry.
    pub fn give_back(&mut self, host: &impl Loop, task: TaskId) {
        self.run(host, |own, _| own.unstarted = Some(task));
    }

    /// Whether no entry waits.
    fn is_empty(&self) -> bool {
        self.unstarted.is_none() && self.queues.is_empty()
    }

    /// Whether an entry waits that keeps the process alive.
    fn keeps_alive(&self) -> bool {
        self.unstarted.is_some() || self.queues.keeps_alive()
    }

    /// Whether the hooks may rest until the next call from JavaScript, behind a check phase that
    /// has begun no check pass: no entry waits, and nothing has to be published.
    #[must_use]
    pub fn may_rest(&self) -> bool {
        self.is_empty() && !self.in_check_pass && self.published.is_at_rest()
    }

    /// Catches up with the loop after the hooks have rested: whether check phases have passed, and
    /// whether the loop is in its poll phase.
    pub fn catch_up(&mut self, host: &impl Host, has_turned: bool, in_poll_phase: bool) {
        if has_turned {
            self.begin_turn(host);
        }
        if in_poll_phase && !self.in_poll_phase {
            self.begin_poll();
        }
    }

    fn begin_turn(&mut self, host: &impl Host) {
        self.in_poll_phase = false;
        self.fallback = None;
        self.refused = None;
        self.turn.begin(self.in_check_pass, || host.now());
        self.meter.begin_turn();
    }

    fn begin_poll(&mut self) {
        self.in_poll_phase = true;
        self.turn.poll();
        self.meter.poll();
        self.fallback = None;
    }

    /// The timer hook: the deadline of the timer has passed, or nearly.
    pub fn timer(&mut self, host: &impl Loop) {
        self.run(host, |own, _| {
            own.published.timer = None;
            let now = host.now();
            own.queues.queue_due(now);
            own.fallback = own.fallback.filter(|fallback| *fallback > now);
        });
    }

    /// Takes the chosen task, which starts now.
    fn started(&mut self, host: &impl Host, choice: Choice, pass: Pass, now: u64) -> TaskId {
        self.meter.started(choice, pass, now);
        self.turn.started(&choice, now, self.queues.next_order());
        let task = self.queues.take(choice, now);
        if self.queues.charged_until().is_some() {
            self.thread_time.start(now, host);
        }
        task
    }

    /// Notes that the callback under way has ended, with its ticks and microtasks.
    fn ended(&mut self, host: &impl Host, now: u64) {
        let ran = self.meter.ended(now);
        self.turn.ended(ran, now);
        self.charge(host, now);
    }

    /// Charges the task that was started last for the time that its thread has run.
    fn charge(&mut self, host: &impl Host, now: u64) {
        if self.queues.charged_until().is_some() {
            self.leave_out_stops(host, || now);
            self.queues.end_task(now);
        }
    }

    /// Does not charge the task that was started last for the time in which its thread was stopped.
    fn leave_out_stops(&mut self, host: &impl Host, now: impl FnOnce() -> u64) {
        if let Some(since) = self.queues.charged_until() {
            let stopped = self.thread_time.stopped(since, now(), host);
            self.queues.leave_out(stopped);
        }
    }

    /// Notes that the last task of a check pass has ended, and that no task waits. Reads the clock
    /// only for background work, whose time the host receives, for flows, and where the time of all
    /// tasks is asked for.
    fn ended_as_last(&mut self, host: &impl Host) {
        self.turn.quantum.end();
        let is_charged = self.queues.charged_until().is_some();
        if self.meter.needs_end() || is_charged {
            self.ended(host, host.now());
        } else {
            self.meter.forget();
        }
    }

    /// Takes the entries of JavaScript, calls with the highest priority of the tasks that they
    /// queue or raise, and publishes what has changed.
    fn run<R>(
        &mut self,
        host: &impl Loop,
        call: impl FnOnce(&mut Self, Option<EffectivePriority>) -> R,
    ) -> R {
        let highest = self.take_in(host);
        let result = call(self, highest);
        self.publish(host);
        result
    }

    /// Takes the entries of JavaScript. Returns the highest priority of the tasks that they queue
    /// or raise.
    fn take_in(&mut self, host: &(impl Host + Inbox)) -> Option<EffectivePriority> {
        let mut highest = None;
        host.take_entries(|entry| highest = highest.max(self.apply(host, entry)));
        highest
    }

    /// Applies an entry. Returns the priority of the tasks that it queues or raises. `lib/loop/`
    /// posts only with unused ids, removes only tasks that wait, and changes only what there is.
    fn apply(&mut self, host: &impl Host, entry: Entry) -> Option<EffectivePriority> {
        let flows = self.queues.flows_mut();
        let is_possible = match entry {
            Entry::Post(task, destination) => {
                let posted = self.add(host, task, destination, Post::default());
                debug_assert_eq!(posted, Ok(()), "posting {task} to {destination:?}");
                return Some(destination.priority);
            }
            Entry::PostOnTerms(task, destination, Terms { delay, max_wait }) => {
                let deadline = delay.map(|delay| host.now().saturating_add(delay));
                let post = Post { deadline, max_wait };
                let posted = self.add(host, task, destination, post);
                debug_assert_eq!(posted, Ok(()), "posting {task} to {destination:?}");
                return deadline.is_none().then_some(destination.priority);
            }
            Entry::MoveQueue(queue, priority) => {
                let moved = self.queues.set_priority(queue, priority);
                // An entry that was not begun may have been the last of the queue.
                debug_assert!(moved.is_ok() || self.unstarted.is_some(), "moving {queue}");
                return (moved == Ok(true)).then_some(priority);
            }
            Entry::Remove(task) if self.unstarted == Some(task) => {
                self.unstarted = None;
                true
            }
            Entry::Remove(task) => self.queues.remove(task).is_ok(),
            Entry::OpenFlow(flow, key) => self.queues.open_flow(flow, key).is_ok(),
            Entry::BindQueue(flow, queue) => self.queues.bind(queue, flow).is_ok(),
            Entry::CloseFlow(flow, has_finished) => {
                self.leave_out_stops(host, || host.now());
                let closed = self.queues.close_flow(flow, has_finished, || host.now());
                closed.is_ok()
            }
            Entry::WaitOutside(flow, waits) => flows.wait_outside(flow, waits),
            Entry::SetWeight(key, weight) => flows.set_weight(key, weight),
            Entry::OpenPart(part, whole) => flows.open_part(part, whole),
            Entry::JoinPart(part, other) => {
                flows.join_part(part, other);
                true
            }
            Entry::ChargeOutside(flow, priority, time) => {
                let now = host.now();
                let since = now.saturating_sub(time);
                let ran = time - self.thread_time.stopped(since, now, host);
                flows.charge_outside(flow, priority, ran, now);
                true
            }
            Entry::SetTimeSlice(slice) => {
                self.turn.set_slice(slice);
                true
            }
            Entry::SetMaxWait(max_wait) => {
                self.queues.set_max_wait(max_wait, host.now());
                true
            }
            Entry::Pause(time) => {
                self.turn.pause_until(host.now().saturating_add(time));
                true
            }
            Entry::SetIdle(mode) => {
                host.set_idle(mode);
                self.holding.end(host);
                true
            }
            Entry::LiftHold(is_lifted) => {
                self.holding.set_lifted(is_lifted);
                self.holding.end(host);
                true
            }
        };
        debug_assert!(is_possible, "{entry:?}");
        None
    }

    fn add(
        &mut self,
        host: &impl Host,
        task: TaskId,
        destination: Destination,
        post: Post,
    ) -> Result<(), QueueError> {
        let mut now = 0;
        let is_by_setting = post.deadline.is_none() && self.queues.max_wait().is_set();
        if post.max_wait.is_some() || is_by_setting {
            // With a bound JavaScript flushes every task at once, so this is the time of the post.
            // Delayed tasks that are due are queued first, so that enqueue order is order of age.
            now = host.now();
            self.queues.queue_due(now);
        }
        let queue = self.queues.open(destination)?;
        self.queues.post(task, queue, post, now)?;
        if destination.is_referenced {
            return Ok(());
        }
        self.queues.unreference(task)
    }

    /// Whether a chain of checkpoints has to be started for a task that was queued with this
    /// priority, or raised to it. In the poll phase and in a pass no chain is needed.
    fn needs_checkpoint(&mut self, priority: EffectivePriority) -> bool {
        self.starts_at_checkpoints() && self.turn.schedule_chain(priority)
    }

    fn starts_at_checkpoints(&self) -> bool {
        !self.in_poll_phase && !self.in_check_pass
    }
}
