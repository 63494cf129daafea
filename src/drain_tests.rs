//! Each rule of the two drains on a host whose answers are set by hand.

use std::cell::Cell;

use super::*;
use EffectivePriority::*;

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

/// An id that is not in use.
fn unused(queues: &TaskQueues) -> TaskId {
    (0..).find(|id| !queues.contains(*id)).unwrap()
}

fn post(queues: &mut TaskQueues, priority: EffectivePriority) -> TaskId {
    let id = unused(queues);
    queues
        .append(id, TaskQueues::fixed_queue(priority))
        .unwrap();
    id
}

fn post_delayed(queues: &mut TaskQueues, priority: EffectivePriority, deadline: u64) -> TaskId {
    let id = unused(queues);
    queues
        .append_delayed(id, TaskQueues::fixed_queue(priority), deadline)
        .unwrap();
    id
}

/// What a check phase starts of one task of each priority, queued before or after it began.
fn started(queued_before: bool, io_ready: bool, busy: bool) -> Vec<EffectivePriority> {
    EffectivePriority::ALL
        .into_iter()
        .filter(|priority| {
            let host = FakeHost::default();
            let mut queues = TaskQueues::default();
            if queued_before {
                post(&mut queues, *priority);
            }
            let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
            if !queued_before {
                post(&mut queues, *priority);
            }
            host.io_ready.set(io_ready);
            host.busy.set(busy);
            drain.next(&mut queues, &host).is_some()
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
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    post(&mut queues, UserVisible);
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    post(&mut queues, UserVisibleContinuation);
    host.io_ready.set(true);
    assert_eq!(drain.next(&mut queues, &host), None);
}

#[test]
fn a_check_phase_runs_in_strict_order() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    let background = post(&mut queues, Background);
    let visible = post(&mut queues, UserVisible);
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert_eq!(drain.next(&mut queues, &host), Some(visible));
    let blocking = post(&mut queues, UserBlocking);
    assert_eq!(drain.next(&mut queues, &host), Some(blocking));
    assert_eq!(drain.next(&mut queues, &host), Some(background));
    assert_eq!(drain.next(&mut queues, &host), None);
}

#[test]
fn a_check_phase_ends_with_its_slice() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    for _ in 0..3 {
        post(&mut queues, UserBlocking);
    }
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert!(drain.next(&mut queues, &host).is_some());
    host.pass(SLICE - 1);
    assert!(drain.next(&mut queues, &host).is_some());
    host.pass(1);
    assert_eq!(drain.next(&mut queues, &host), None);
}

#[test]
fn however_short_the_slice_every_check_phase_may_run_one_task() {
    for priority in EffectivePriority::ALL {
        let host = FakeHost::default();
        let mut queues = TaskQueues::default();
        for _ in 0..3 {
            post(&mut queues, priority);
        }
        let mut drain = CheckDrain::begin(&mut queues, &host, 0);
        let count = std::iter::from_fn(|| drain.next(&mut queues, &host)).count();
        assert_eq!(count, 1, "{priority:?}");
    }
}

#[test]
fn what_else_is_runnable_is_asked_before_every_background_task() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    for _ in 0..2 {
        post(&mut queues, Background);
    }
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert!(drain.next(&mut queues, &host).is_some());
    host.busy.set(true);
    assert_eq!(drain.next(&mut queues, &host), None);
}

#[test]
fn io_is_probed_at_least_every_100_microseconds_and_not_for_every_task() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    for _ in 0..100 {
        post(&mut queues, Background);
    }
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    for _ in 0..50 {
        assert!(drain.next(&mut queues, &host).is_some());
        host.pass(10_000);
    }
    assert_eq!(host.io_probes.get(), 5);
    host.io_ready.set(true);
    host.pass(100_000);
    assert_eq!(drain.next(&mut queues, &host), None);
}

#[test]
fn passed_deadlines_are_queued_before_every_choice() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    let now = post(&mut queues, UserVisible);
    let delayed = post_delayed(&mut queues, UserBlocking, 1000);
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert_eq!(drain.next(&mut queues, &host), Some(now));
    assert_eq!(drain.next(&mut queues, &host), None);
    host.pass(1000);
    assert_eq!(drain.next(&mut queues, &host), Some(delayed));
    host.pass(1000);
    let delayed = post_delayed(&mut queues, UserBlocking, 2000);
    assert_eq!(
        CheckpointDrain::default().next(&mut queues, &host, SLICE),
        Some(delayed)
    );
}

#[test]
fn the_checkpoint_runs_user_blocking_tasks_and_continuations() {
    for priority in EffectivePriority::ALL {
        for io_ready in [false, true] {
            let host = FakeHost::default();
            host.busy.set(true);
            host.io_ready.set(io_ready);
            let mut queues = TaskQueues::default();
            post(&mut queues, priority);
            let mut checkpoint = CheckpointDrain::default();
            let runs = checkpoint.next(&mut queues, &host, SLICE).is_some();
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
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    let mut checkpoint = CheckpointDrain::default();
    assert!(!checkpoint.schedule(UserVisible, SLICE));
    assert!(checkpoint.schedule(UserVisibleContinuation, SLICE));
    assert!(!checkpoint.schedule(UserBlocking, SLICE));
    post(&mut queues, UserBlocking);
    assert!(checkpoint.next(&mut queues, &host, SLICE).is_some());
    assert!(
        !checkpoint.schedule(UserBlocking, SLICE),
        "the round after the task is to come"
    );
    assert_eq!(checkpoint.next(&mut queues, &host, SLICE), None);
    assert!(
        checkpoint.schedule(UserBlocking, SLICE),
        "the chain has ended"
    );
}

#[test]
fn the_checkpoint_has_a_budget_per_turn_that_counts_the_microtasks_of_its_tasks() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    for _ in 0..4 {
        post(&mut queues, UserBlocking);
    }
    let mut checkpoint = CheckpointDrain::default();
    assert!(checkpoint.next(&mut queues, &host, SLICE).is_some());
    host.pass(SLICE - 1);
    assert!(checkpoint.next(&mut queues, &host, SLICE).is_some());
    host.pass(1);
    assert_eq!(checkpoint.next(&mut queues, &host, SLICE), None);
    assert!(!checkpoint.schedule(UserBlocking, SLICE));
    checkpoint.begin_turn();
    assert!(checkpoint.schedule(UserBlocking, SLICE));
    assert!(checkpoint.next(&mut queues, &host, SLICE).is_some());
}

#[test]
fn time_that_others_take_between_two_chains_is_not_the_checkpoints() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    let mut checkpoint = CheckpointDrain::default();
    for _ in 0..3 {
        post(&mut queues, UserBlocking);
        assert!(checkpoint.next(&mut queues, &host, SLICE).is_some());
        assert_eq!(checkpoint.next(&mut queues, &host, SLICE), None);
        host.pass(10 * SLICE);
    }
}

#[test]
fn a_chain_that_was_cut_is_forgotten_in_the_next_turn() {
    let mut checkpoint = CheckpointDrain::default();
    assert!(checkpoint.schedule(UserBlocking, SLICE));
    checkpoint.begin_turn();
    assert!(checkpoint.schedule(UserBlocking, SLICE));
}

#[test]
fn a_background_task_that_has_waited_for_too_long_runs_though_something_else_is_runnable() {
    let host = FakeHost::default();
    let mut queues = TaskQueues::default();
    queues.set_background_timeout(Some(1000));
    let old = post(&mut queues, Background);
    host.busy.set(true);
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert_eq!(drain.next(&mut queues, &host), None);
    post(&mut queues, Background);
    host.pass(999);
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert_eq!(drain.next(&mut queues, &host), None);
    host.pass(1);
    let mut drain = CheckDrain::begin(&mut queues, &host, SLICE);
    assert_eq!(drain.next(&mut queues, &host), Some(old));
    assert_eq!(drain.next(&mut queues, &host), None);
}
