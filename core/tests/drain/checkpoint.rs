//! What the checkpoint drain starts, its budgets, and when a chain begins and ends.

use EffectivePriority::*;
use uv_scheduler_core::priority::EffectivePriority;

use crate::scheduler::{HEAD_START, SLICE, Scheduler};

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
