//! What the check drain starts, and when it ends.

use EffectivePriority::*;
use uv_scheduler_core::priority::EffectivePriority;

use crate::scheduler::{HEAD_START, SLICE, Scheduler};

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
fn a_drain_tells_whether_background_work_gave_way_to_something_other_than_io() {
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

#[test]
fn an_idle_callback_requested_in_an_idle_period_runs_in_the_next_one() {
    let mut scheduler = Scheduler::default();
    let [first, second] = [Idle, Idle].map(|priority| scheduler.post(priority));
    scheduler.begin_check();
    let third = scheduler.post(Idle);
    assert_eq!(scheduler.next(), Some(first));
    let inside = scheduler.post(Idle);
    assert_eq!(scheduler.next(), Some(second));
    assert_eq!(scheduler.next(), Some(third));
    // Whatever else runs in between.
    let task = scheduler.post(Background);
    assert_eq!(scheduler.next(), Some(task));
    assert_eq!(scheduler.next(), None);
    assert!(!scheduler.check.as_ref().unwrap().has_given_way());
    scheduler.begin_check();
    assert_eq!(scheduler.next(), Some(inside));
}
