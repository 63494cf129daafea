//! Each rule of the two drains on a host whose answers are set by hand.

use std::cell::Cell;

use EffectivePriority::*;
use uv_scheduler_core::drain::{CheckDrain, DEFAULT_SLICE, Turn};
use uv_scheduler_core::host::Host;
use uv_scheduler_core::max_wait::MaxWait;
use uv_scheduler_core::priority::EffectivePriority;
use uv_scheduler_core::task_queue::TaskId;
use uv_scheduler_core::task_queues::TaskQueues;

#[derive(Default)]
struct FakeHost {
    now: Cell<u64>,
    io_ready: Cell<bool>,
    busy: Cell<bool>,
    io_probes: Cell<u32>,
}

impl FakeHost {
    fn pass(&self, nanoseconds: u64) {
        self.now.set(self.now.get() + nanoseconds);
    }
}

impl Host for FakeHost {
    fn now(&self) -> u64 {
        self.now.get()
    }

    fn is_io_ready(&self) -> bool {
        self.io_probes.set(self.io_probes.get() + 1);
        self.io_ready.get()
    }

    fn is_busy(&self) -> bool {
        self.busy.get()
    }
}

const SLICE: u64 = DEFAULT_SLICE;
const HEAD_START: u64 = SLICE / 5;

/// The queues of a loop, its turn, and the check phase under way.
#[derive(Default)]
struct Scheduler {
    host: FakeHost,
    queues: TaskQueues,
    turn: Turn,
    check: Option<CheckDrain>,
}

impl Scheduler {
    /// An id that is not in use.
    fn unused(&self) -> TaskId {
        (0..).find(|id| !self.queues.contains(*id)).unwrap()
    }

    fn post(&mut self, priority: EffectivePriority) -> TaskId {
        let (id, now) = (self.unused(), self.host.now());
        self.queues.append(id, priority.rank(), now).unwrap();
        id
    }

    fn post_delayed(&mut self, priority: EffectivePriority, deadline: u64) -> TaskId {
        let id = self.unused();
        self.queues
            .append_delayed(id, priority.rank(), deadline)
            .unwrap();
        id
    }

    fn begin_check(&mut self) {
        self.turn.begin();
        let drain = CheckDrain::begin(&self.turn, &mut self.queues, &self.host);
        self.check = Some(drain);
    }

    fn next(&mut self) -> Option<TaskId> {
        let check = self.check.as_mut().unwrap();
        check.next(&mut self.turn, &mut self.queues, &self.host)
    }

    fn next_at_checkpoint(&mut self) -> Option<TaskId> {
        self.turn.next_at_checkpoint(&mut self.queues, &self.host)
    }

    fn set_max_wait(&mut self, user_visible: Option<u64>, background: Option<u64>) {
        let max_wait = MaxWait {
            user_visible,
            background,
        };
        self.queues.set_max_wait(max_wait, self.host.now());
    }
}

/// What a check phase starts of one task of each priority, queued before or after it began.
fn started(queued_before: bool, io_ready: bool, busy: bool) -> Vec<EffectivePriority> {
    started_after(0, queued_before, io_ready, busy)
}

/// The same after some nanoseconds of the phase.
fn started_after(
    passed: u64,
    queued_before: bool,
    io_ready: bool,
    busy: bool,
) -> Vec<EffectivePriority> {
    EffectivePriority::ALL
        .into_iter()
        .filter(|priority| {
            let mut scheduler = Scheduler::default();
            if queued_before {
                scheduler.post(*priority);
            }
            scheduler.begin_check();
            if !queued_before {
                scheduler.post(*priority);
            }
            scheduler.host.pass(passed);
            scheduler.host.io_ready.set(io_ready);
            scheduler.host.busy.set(busy);
            scheduler.next().is_some()
        })
        .collect()
}

#[test]
fn a_check_phase_starts_anything_while_nothing_else_is_runnable() {
    assert_eq!(started(true, false, false), EffectivePriority::ALL);
    assert_eq!(started(false, false, false), EffectivePriority::ALL);
}

#[test]
fn what_was_queued_when_the_check_phase_began_waits_only_if_it_is_background() {
    let not_background = [
        UserVisible,
        UserVisibleContinuation,
        UserBlocking,
        UserBlockingContinuation,
    ];
    assert_eq!(started(true, true, false), not_background);
    assert_eq!(started(true, false, true), not_background);
    assert_eq!(started(true, true, true), not_background);
}

#[test]
fn later_user_visible_tasks_give_way_to_timers_and_immediates() {
    let higher = [
        UserVisibleContinuation,
        UserBlocking,
        UserBlockingContinuation,
    ];
    assert_eq!(started(false, false, true), higher);
}

#[test]
fn later_user_visible_continuations_give_way_to_ready_io() {
    assert_eq!(
        started(false, true, false),
        [UserBlocking, UserBlockingContinuation]
    );
    assert_eq!(
        started(false, true, true),
        [UserBlocking, UserBlockingContinuation]
    );
}

#[test]
fn a_task_that_has_to_wait_is_not_overtaken_by_a_lower_one() {
    let mut scheduler = Scheduler::default();
    scheduler.post(UserVisible);
    scheduler.begin_check();
    scheduler.post(UserVisibleContinuation);
    scheduler.host.io_ready.set(true);
    assert_eq!(scheduler.next(), None);
}

#[test]
fn a_check_phase_runs_in_strict_order() {
    let mut scheduler = Scheduler::default();
    let background = scheduler.post(Background);
    let visible = scheduler.post(UserVisible);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(visible));
    let blocking = scheduler.post(UserBlocking);
    assert_eq!(scheduler.next(), Some(blocking));
    assert_eq!(scheduler.next(), Some(background));
    assert_eq!(scheduler.next(), None);
}

#[test]
fn a_check_phase_ends_with_its_slice() {
    let mut scheduler = Scheduler::default();
    for _ in 0..3 {
        scheduler.post(UserBlocking);
    }
    scheduler.begin_check();
    assert!(scheduler.next().is_some());
    scheduler.host.pass(SLICE - 1);
    assert!(scheduler.next().is_some());
    scheduler.host.pass(1);
    assert_eq!(scheduler.next(), None);
}

#[test]
fn however_short_the_slice_every_check_phase_may_run_one_task() {
    for priority in EffectivePriority::ALL {
        let mut scheduler = Scheduler::default();
        for _ in 0..3 {
            scheduler.post(priority);
        }
        scheduler.turn.set_slice(0);
        scheduler.begin_check();
        let count = std::iter::from_fn(|| scheduler.next()).count();
        assert_eq!(count, 1, "{priority:?}");
    }
}

#[test]
fn what_else_is_runnable_is_asked_before_every_background_task() {
    let mut scheduler = Scheduler::default();
    for _ in 0..2 {
        scheduler.post(Background);
    }
    scheduler.begin_check();
    assert!(scheduler.next().is_some());
    scheduler.host.busy.set(true);
    assert_eq!(scheduler.next(), None);
}

#[test]
fn io_is_probed_at_least_every_100_microseconds_and_not_for_every_task() {
    let mut scheduler = Scheduler::default();
    for _ in 0..100 {
        scheduler.post(Background);
    }
    scheduler.begin_check();
    for _ in 0..50 {
        assert!(scheduler.next().is_some());
        scheduler.host.pass(10_000);
    }
    assert_eq!(scheduler.host.io_probes.get(), 5);
    scheduler.host.io_ready.set(true);
    scheduler.host.pass(100_000);
    assert_eq!(scheduler.next(), None);
}

#[test]
fn passed_deadlines_are_queued_before_every_choice() {
    let mut scheduler = Scheduler::default();
    let now = scheduler.post(UserVisible);
    let delayed = scheduler.post_delayed(UserBlocking, 1000);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(now));
    assert_eq!(scheduler.next(), None);
    scheduler.host.pass(1000);
    assert_eq!(scheduler.next(), Some(delayed));
    scheduler.host.pass(1000);
    let delayed = scheduler.post_delayed(UserBlocking, 2000);
    assert_eq!(scheduler.next_at_checkpoint(), Some(delayed));
}

#[test]
fn the_checkpoint_runs_user_blocking_tasks_and_continuations() {
    for priority in EffectivePriority::ALL {
        for io_ready in [false, true] {
            let mut scheduler = Scheduler::default();
            scheduler.host.busy.set(true);
            scheduler.host.io_ready.set(io_ready);
            scheduler.post(priority);
            let runs = scheduler.next_at_checkpoint().is_some();
            let expected = match priority {
                UserBlocking | UserBlockingContinuation => true,
                UserVisibleContinuation => !io_ready,
                _ => false,
            };
            assert_eq!(runs, expected, "{priority:?}, I/O ready: {io_ready}");
        }
    }
}

#[test]
fn one_chain_of_checkpoints_is_under_way_at_a_time() {
    let mut scheduler = Scheduler::default();
    assert!(!scheduler.turn.schedule_chain(UserVisible));
    assert!(scheduler.turn.schedule_chain(UserVisibleContinuation));
    assert!(!scheduler.turn.schedule_chain(UserBlocking));
    scheduler.post(UserBlocking);
    assert!(scheduler.next_at_checkpoint().is_some());
    assert!(
        !scheduler.turn.schedule_chain(UserBlocking),
        "the round after the task is to come"
    );
    assert_eq!(scheduler.next_at_checkpoint(), None);
    assert!(
        scheduler.turn.schedule_chain(UserBlocking),
        "the chain has ended"
    );
}

#[test]
fn the_checkpoint_has_a_budget_per_turn_that_counts_the_microtasks_of_its_tasks() {
    let mut scheduler = Scheduler::default();
    for _ in 0..4 {
        scheduler.post(UserBlocking);
    }
    assert!(scheduler.next_at_checkpoint().is_some());
    scheduler.host.pass(SLICE - 1);
    assert!(scheduler.next_at_checkpoint().is_some());
    scheduler.host.pass(1);
    assert_eq!(scheduler.next_at_checkpoint(), None);
    assert!(!scheduler.turn.schedule_chain(UserBlocking));
    scheduler.turn.begin();
    assert!(scheduler.turn.schedule_chain(UserBlocking));
    assert!(scheduler.next_at_checkpoint().is_some());
}

#[test]
fn time_that_others_take_between_two_chains_is_not_the_checkpoints() {
    let mut scheduler = Scheduler::default();
    for _ in 0..3 {
        scheduler.post(UserBlocking);
        assert!(scheduler.next_at_checkpoint().is_some());
        assert_eq!(scheduler.next_at_checkpoint(), None);
        scheduler.host.pass(10 * SLICE);
    }
}

#[test]
fn a_chain_that_was_cut_is_forgotten_in_the_next_turn() {
    let mut scheduler = Scheduler::default();
    assert!(scheduler.turn.schedule_chain(UserBlocking));
    scheduler.turn.begin();
    assert!(scheduler.turn.schedule_chain(UserBlocking));
}

#[test]
fn a_checkpoint_runs_user_visible_continuations_for_a_fifth_of_the_slice_in_a_turn() {
    let mut scheduler = Scheduler::default();
    for _ in 0..4 {
        scheduler.post(UserVisibleContinuation);
    }
    assert!(scheduler.next_at_checkpoint().is_some());
    scheduler.host.pass(HEAD_START - 1);
    assert!(scheduler.next_at_checkpoint().is_some());
    scheduler.host.pass(1);
    assert_eq!(scheduler.next_at_checkpoint(), None);
    assert!(!scheduler.turn.schedule_chain(UserVisibleContinuation));
    // User-blocking tasks have the whole slice.
    assert!(scheduler.turn.schedule_chain(UserBlocking));
    let blocking = scheduler.post(UserBlocking);
    assert_eq!(scheduler.next_at_checkpoint(), Some(blocking));
    scheduler.turn.begin();
    assert!(scheduler.turn.schedule_chain(UserVisibleContinuation));
    assert!(scheduler.next_at_checkpoint().is_some());
}

#[test]
fn the_time_of_the_check_phase_counts_towards_the_head_start_at_checkpoints() {
    let mut scheduler = Scheduler::default();
    scheduler.post(UserVisibleContinuation);
    scheduler.post(UserVisible);
    scheduler.begin_check();
    assert!(scheduler.next().is_some());
    scheduler.host.pass(HEAD_START);
    assert!(scheduler.next().is_some());
    scheduler.post(UserVisibleContinuation);
    assert_eq!(scheduler.next_at_checkpoint(), None);
}

#[test]
fn past_the_head_start_later_user_visible_continuations_give_way_to_timers_and_immediates() {
    let within = started_after(HEAD_START - 1, false, false, true);
    assert!(within.contains(&UserVisibleContinuation));
    let past = started_after(HEAD_START, false, false, true);
    assert_eq!(past, [UserBlocking, UserBlockingContinuation]);
    let queued_before = started_after(HEAD_START, true, true, true);
    assert!(queued_before.contains(&UserVisibleContinuation));
    let nothing_else = started_after(HEAD_START, false, false, false);
    assert!(nothing_else.contains(&UserVisibleContinuation));
}

#[test]
fn an_overdue_task_runs_though_something_else_is_runnable() {
    for priority in [UserVisible, UserVisibleContinuation, Background] {
        let mut scheduler = Scheduler::default();
        scheduler.set_max_wait(Some(1000), Some(1000));
        scheduler.host.busy.set(true);
        scheduler.host.io_ready.set(true);
        scheduler.begin_check();
        let old = scheduler.post(priority);
        scheduler.post(priority);
        scheduler.host.pass(SLICE / 2);
        assert_eq!(scheduler.next(), Some(old), "{priority:?}");
    }
}

#[test]
fn every_check_phase_starts_an_overdue_task_even_with_its_slice_spent() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(Some(1000), None);
    let old = scheduler.post(UserVisible);
    scheduler.post(UserVisible);
    let first = scheduler.post(UserBlocking);
    scheduler.post(UserBlocking);
    scheduler.host.pass(1001);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(first));
    scheduler.host.pass(SLICE);
    assert_eq!(scheduler.next(), Some(old));
    assert_eq!(scheduler.next(), None);
}

#[test]
fn a_check_phase_starts_one_task_at_most_that_is_overdue_background_work() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(None, Some(1000));
    scheduler.host.busy.set(true);
    let old = scheduler.post(Background);
    let next = scheduler.post(BackgroundContinuation);
    scheduler.host.pass(1001);
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(old));
    assert_eq!(scheduler.next(), None);
    // It does not hold back what is more urgent than background work either.
    let continuation = scheduler.post(UserVisibleContinuation);
    assert_eq!(scheduler.next_at_checkpoint(), Some(continuation));
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(next));
}

#[test]
fn a_checkpoint_leaves_overdue_tasks_and_all_below_them_to_the_check_phase() {
    let mut scheduler = Scheduler::default();
    scheduler.set_max_wait(Some(1000), None);
    scheduler.post(UserVisible);
    scheduler.host.pass(1001);
    scheduler.post(UserVisibleContinuation);
    assert_eq!(scheduler.next_at_checkpoint(), None);
    let blocking = scheduler.post(UserBlocking);
    assert_eq!(scheduler.next_at_checkpoint(), Some(blocking));
}

#[test]
fn a_drain_tells_whether_its_next_task_gave_way_to_something_but_io() {
    for (io_ready, busy) in [(false, true), (true, true), (true, false)] {
        let mut scheduler = Scheduler::default();
        scheduler.post(Background);
        scheduler.host.io_ready.set(io_ready);
        scheduler.host.busy.set(busy);
        scheduler.begin_check();
        assert_eq!(scheduler.next(), None);
        assert_eq!(scheduler.check.unwrap().has_given_way(), busy);
    }
}
