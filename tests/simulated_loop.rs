//! The event loop contract, in thousands of random schedules on a simulated loop.
//!
//! Owns the guarantees as tests, each over the same schedules: a seed decides what every callback
//! and task does, in virtual time, on a model of libuv's phases; each decision of the scheduler is
//! judged by rules and a ledger of the test's own. Knows neither Node nor libuv.
//!
//! A schedule that fails is named by its seed: `SIMULATION_SEED=<seed> cargo test --test
//! simulated_loop` runs it alone.

#[path = "simulated_loop/callbacks.rs"]
mod callbacks;
#[path = "simulated_loop/hooks.rs"]
mod hooks;
#[path = "simulated_loop/ledger.rs"]
mod ledger;
#[path = "simulated_loop/random.rs"]
mod random;
#[path = "simulated_loop/reached.rs"]
mod reached;
#[path = "simulated_loop/rules.rs"]
mod rules;
#[path = "simulated_loop/simulation.rs"]
mod simulation;
#[path = "simulated_loop/trace.rs"]
mod trace;
#[path = "simulated_loop/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use reached::Reached;
use rules::{Guarantee, Violation};
use simulation::Simulation;

const SCHEDULES: u64 = 3_000;

/// The outcome of all schedules; each ends at its first violation.
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
            None => (0..SCHEDULES).for_each(|seed| run(seed, &mut outcome)),
        }
        outcome
    })
}

fn chosen_seed() -> Option<u64> {
    let seed = std::env::var("SIMULATION_SEED").ok()?;
    Some(seed.parse().expect("SIMULATION_SEED is a number"))
}

fn run(seed: u64, outcome: &mut Outcome) {
    let mut simulation = Simulation::new(seed);
    let ended = catch_unwind(AssertUnwindSafe(|| simulation.run()));
    let kept = ended.unwrap_or(Err(Violation {
        guarantee: Guarantee::Sound,
        what: "a panic",
    }));
    outcome.reached.add(&simulation.reached);
    if let Err(Violation { guarantee, what }) = kept {
        let trace = &simulation.trace;
        let now = simulation.world.now;
        let message = || format!("SIMULATION_SEED={seed}: {what}, at {now} ns, after\n{trace}");
        outcome.violations.entry(guarantee).or_insert_with(message);
    }
}

#[track_caller]
fn assert_kept(guarantee: Guarantee) {
    if let Some(violation) = outcome().violations.get(&guarantee) {
        panic!("{violation}");
    }
}

#[test]
fn a_task_that_starts_is_the_oldest_of_the_highest_effective_priority() {
    assert_kept(Guarantee::Order);
}

#[test]
fn user_blocking_tasks_run_when_the_callback_has_ended_and_are_overtaken_by_none() {
    assert_kept(Guarantee::UserBlocking);
}

#[test]
fn user_visible_continuations_give_way_to_ready_io_alone() {
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
fn checkpoints_are_scheduled_one_at_a_time_and_only_where_they_start_tasks() {
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
fn the_loop_ends_when_nothing_waits() {
    assert_kept(Guarantee::End);
}

#[test]
fn nothing_is_refused_lost_or_mistaken_for_something_else() {
    assert_kept(Guarantee::Sound);
}

#[test]
fn the_schedules_come_to_every_rule() {
    if chosen_seed().is_some() {
        return;
    }
    let reached = &outcome().reached;
    let [in_check, at_checkpoint] = &reached.started;
    let [_, left_at_checkpoint] = &reached.waited;
    let is_enough = in_check.iter().all(|count| *count > 1_000)
        && at_checkpoint[4..].iter().all(|count| *count > 1_000)
        && left_at_checkpoint.iter().all(|count| *count > 100)
        && reached.for_io.iter().all(|count| *count > 100)
        && reached.for_others.iter().all(|count| *count > 100);
    assert!(is_enough, "{reached:?}");
}
