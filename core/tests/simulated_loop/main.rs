//! The event loop contract, in thousands of random schedules and in all short ones.
//!
//! The scheduler itself runs on a model of libuv's phases in virtual time. A seed decides what
//! every callback and task does. The rules and the ledger of the test judge each decision of the
//! scheduler.
//!
//! A failure names the seed of its schedule: `SIMULATION_SEED=<seed> cargo test --test
//! simulated_loop` runs only that one. `SIMULATION_DEPTH=<n>` sets the number of actions up to
//! which all schedules are tried. With `TEST_SHORT=1` a tenth of the random ones run.

mod advice;
mod callbacks;
mod calls;
mod choices;
mod dice;
mod holds;
mod hooks;
mod ledger;
mod others;
mod reached;
mod requests;
mod rules;
mod shares;
mod simulation;
mod trace;
mod turns;
mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use choices::Action;
use dice::Dice;
use reached::Reached;
use rules::{Guarantee, Violation};
use simulation::Simulation;

/// The number of schedules that reach every rule.
const SCHEDULES: u64 = 3_600;

/// The number of random schedules.
fn schedules() -> u64 {
    if cfg!(miri) {
        10
    } else if std::env::var_os("TEST_SHORT").is_some() {
        SCHEDULES / 10
    } else {
        SCHEDULES
    }
}

/// The outcome of all schedules. Each ends at its first violation.
#[derive(Default)]
struct Outcome {
    /// The first violation of each guarantee.
    violations: BTreeMap<Guarantee, String>,
    reached: Reached,
}

fn outcome() -> &'static Outcome {
    static OUTCOME: OnceLock<Outcome> = OnceLock::new();
    OUTCOME.get_or_init(|| {
        let mut outcome = Outcome::default();
        match chosen_seed() {
            Some(seed) => run(seed, &mut outcome),
            None => (0..schedules()).for_each(|seed| run(seed, &mut outcome)),
        }
        outcome
    })
}

fn chosen_seed() -> Option<u64> {
    let seed = std::env::var("SIMULATION_SEED").ok()?;
    Some(seed.parse().expect("SIMULATION_SEED is a number"))
}

fn run(seed: u64, outcome: &mut Outcome) {
    let mut simulation = Simulation::new(Dice::seeded(seed), &[]);
    let kept = run_to_end(&mut simulation);
    simulation.note_end();
    outcome.reached.add(&simulation.reached);
    if let Err(Violation { guarantee, what }) = kept {
        let trace = &simulation.trace;
        let now = simulation.world.now;
        let message = || format!("SIMULATION_SEED={seed}: {what}, at {now} ns, after\n{trace}");
        outcome.violations.entry(guarantee).or_insert_with(message);
    }
}

fn run_to_end(simulation: &mut Simulation) -> rules::Kept {
    let ended = catch_unwind(AssertUnwindSafe(|| simulation.run()));
    ended.unwrap_or(Err(Violation {
        guarantee: Guarantee::Sound,
        what: "a panic",
    }))
}

#[test]
fn every_short_schedule_keeps_the_contract() {
    try_all(choices::TASKS);
}

#[test]
fn every_short_schedule_of_requests_keeps_the_contract() {
    try_all(choices::REQUESTS);
}

/// Tries all schedules of these actions.
fn try_all(actions: &'static [Action]) {
    let mut path = Some(Dice::first_path());
    let mut schedules = 0;
    while let Some(dice) = path {
        let mut simulation = Simulation::new(dice, actions);
        if let Err(Violation { what, .. }) = run_to_end(&mut simulation) {
            let decisions = simulation.dice.decisions();
            panic!(
                "{what}, after the decisions {decisions:?}\n{}",
                simulation.trace
            );
        }
        schedules += 1;
        path = simulation.dice.next_path();
    }
    println!("{schedules} schedules");
    assert!(cfg!(miri) || schedules > 500, "{schedules}");
}

#[track_caller]
fn assert_kept(guarantee: Guarantee) {
    if let Some(violation) = outcome().violations.get(&guarantee) {
        panic!("{violation}");
    }
}

#[test]
fn code_that_a_queued_task_outranks_is_told_to_yield() {
    assert_kept(Guarantee::Advice);
}

#[test]
fn code_beside_equals_goes_on_until_it_has_had_its_turn() {
    assert_kept(Guarantee::Quantum);
}

#[test]
fn a_task_that_starts_is_the_first_of_the_highest_effective_priority() {
    assert_kept(Guarantee::Order);
}

#[test]
fn no_key_is_behind_its_share_by_more_than_a_turn_of_each() {
    assert_kept(Guarantee::Shares);
}

#[test]
fn user_blocking_tasks_run_when_the_callback_has_ended_and_nothing_overtakes_them() {
    assert_kept(Guarantee::UserBlocking);
}

#[test]
fn user_visible_continuations_give_way_to_ready_io_and_past_their_head_start_to_all_else() {
    assert_kept(Guarantee::Continuations);
}

#[test]
fn user_visible_tasks_run_in_the_check_phase_that_finds_them_and_later_ones_give_way() {
    assert_kept(Guarantee::UserVisible);
}

#[test]
fn background_tasks_and_idle_callbacks_run_when_and_only_when_nothing_else_is_runnable() {
    assert_kept(Guarantee::Background);
}

#[test]
fn held_work_wakes_the_loop_when_the_hold_ends_or_it_is_overdue_and_not_before() {
    assert_kept(Guarantee::Hold);
}

#[test]
fn every_check_phase_starts_an_overdue_task_and_at_most_one_of_background_work() {
    assert_kept(Guarantee::MaxWait);
}

#[test]
fn no_task_starts_past_the_slice_of_the_check_phase_or_the_budget_of_the_checkpoints() {
    assert_kept(Guarantee::Slice);
}

#[test]
fn every_check_phase_may_run_one_task_however_short_the_slice() {
    assert_kept(Guarantee::CheckPhase);
}

#[test]
fn every_task_runs_exactly_once_unless_it_is_removed() {
    assert_kept(Guarantee::Once);
}

#[test]
fn checkpoints_are_scheduled_one_at_a_time_and_only_if_they_start_tasks() {
    assert_kept(Guarantee::Checkpoints);
}

#[test]
fn the_loop_never_sleeps_past_a_deadline() {
    assert_kept(Guarantee::Delays);
}

#[test]
fn the_loop_never_sleeps_while_tasks_are_queued_and_never_spins_while_none_is() {
    assert_kept(Guarantee::Blocking);
}

#[test]
fn the_loop_ends_when_no_task_waits() {
    assert_kept(Guarantee::End);
}

#[test]
fn no_operation_is_refused_and_no_queue_lost() {
    assert_kept(Guarantee::Sound);
}

#[test]
fn the_schedules_reach_every_rule() {
    if chosen_seed().is_some() || schedules() < SCHEDULES {
        return;
    }
    let reached = &outcome().reached;
    let [in_check, at_checkpoint] = &reached.started;
    let [_, left_at_checkpoint] = &reached.waited;
    let is_enough = in_check.iter().all(|count| *count > 1_000)
        && at_checkpoint[4..].iter().all(|count| *count > 1_000)
        && left_at_checkpoint.iter().all(|count| *count > 100)
        && reached.for_io.iter().all(|count| *count > 100)
        && reached.for_others.iter().all(|count| *count > 100)
        && reached.overdue > 1_000
        && reached.in_hold > 1_000
        && reached.in_allowance > 20
        && reached.shares > 1_000
        && reached.behind > 100
        && reached.learned > 3
        && reached.levels.iter().all(|count| *count > 1_000)
        && reached
            .beside_equals
            .iter()
            .flatten()
            .all(|count| *count > 10);
    assert!(is_enough, "{reached:?}");
}
