//! What the controller for neighbours on the same processor promises, on a simulated processor.

mod neighbours;
mod schedulers;
mod simulated_processor;

use neighbours::{MICROSECOND, MILLISECOND, Neighbour};
use simulated_processor::{Kernel, Loss, Outcome, Rule, Scene};
use uv_scheduler_idle::machine::{Machine, Reading};
use uv_scheduler_idle::verdict::Verdict;

const SECOND: u64 = 1_000 * MILLISECOND;

/// Each kernel with each kind of the controller.
fn each() -> impl Iterator<Item = (Kernel, Rule)> {
    let rules = [Rule::Cautious, Rule::Polite];
    Kernel::ALL
        .into_iter()
        .flat_map(move |kernel| rules.map(|rule| (kernel, rule)))
}

/// A server whose requests take 1 to 4 ms and end a while before the scene does.
fn server(load: f64) -> Neighbour {
    let service = (MILLISECOND, 4 * MILLISECOND);
    Neighbour::server(load, service, 1, 58 * SECOND, 3)
}

/// Runs a server with and without background work. Returns how much of what it leaves is used.
fn share_used_beside(load: f64, kernel: Kernel, rule: Rule) -> f64 {
    let scene = Scene::new(kernel, rule, &[server(load)]);
    let alone = scene.with_rule(Rule::Never).run();
    let shared = scene.run();
    for percent in [50, 90, 99] {
        let ratio = shared.percentile(percent) as f64 / alone.percentile(percent) as f64;
        assert!(
            ratio <= 1.25,
            "{kernel:?}, {rule:?}: p{percent} x {ratio:.2}"
        );
    }
    shared.share_used()
}

#[test]
fn a_server_at_20_percent_keeps_its_latency_and_half_of_what_it_leaves_is_used() {
    for (kernel, rule) in each() {
        let least = if rule == Rule::Polite { 0.85 } else { 0.35 };
        let used = share_used_beside(0.2, kernel, rule);
        assert!(used >= least, "{kernel:?}, {rule:?}: {used:.2}");
    }
}

#[test]
fn a_server_at_60_percent_keeps_its_latency_and_a_polite_thread_uses_half_of_what_it_leaves() {
    for (kernel, rule) in each() {
        let least = if rule == Rule::Polite { 0.5 } else { 0.09 };
        let used = share_used_beside(0.6, kernel, rule);
        assert!(used >= least, "{kernel:?}, {rule:?}: {used:.2}");
    }
}

#[test]
fn without_the_controller_the_simulated_server_becomes_slow() {
    for kernel in Kernel::ALL {
        let scene = Scene::new(kernel, Rule::Always, &[server(0.2)]);
        let alone = scene.with_rule(Rule::Never).run().percentile(99);
        assert!(scene.run().percentile(99) > 2 * alone, "{kernel:?}");
    }
}

#[test]
fn batch_work_of_a_neighbour_gets_nearly_the_whole_processor() {
    for (kernel, rule) in each() {
        let outcome = Scene::new(kernel, rule, &[Neighbour::hog(0, 600 * SECOND)]).run();
        let share = outcome.neighbours_share();
        assert!(share >= 0.95, "{kernel:?}, {rule:?}: {share:.3}");
    }
}

#[test]
fn an_idle_machine_is_used_fully() {
    for piece in [20 * MICROSECOND, 5 * MILLISECOND] {
        let mut scene = Scene::new(Kernel::ALL[0], Rule::Cautious, &[]);
        scene.piece = piece;
        let used = scene.run().share_used();
        assert!(used >= 0.99, "pieces of {piece} ns: {used:.3}");
    }
}

#[test]
fn interrupts_and_kernel_threads_do_not_pause_background_work() {
    for (period, length) in [
        (MILLISECOND, 30 * MICROSECOND),
        (100 * MICROSECOND, 3 * MICROSECOND),
        (20 * MILLISECOND, 90 * MICROSECOND),
    ] {
        let used = with_loss(period, length, false).share_used();
        assert!(used >= 0.99, "{length} ns per {period}: {used:.3}");
    }
}

#[test]
fn a_group_stopped_for_its_quota_is_not_taken_for_a_neighbour() {
    let used = with_loss(100 * MILLISECOND, 50 * MILLISECOND, true).share_used();
    assert!(used >= 0.99, "{used:.3}");
    let used = with_loss(100 * MILLISECOND, 50 * MILLISECOND, false).share_used();
    assert!(
        used < 0.99,
        "the same time is taken for a neighbour's otherwise"
    );
}

fn with_loss(period: u64, length: u64, is_stop: bool) -> Outcome {
    let mut scene = Scene::new(Kernel::ALL[0], Rule::Cautious, &[]);
    scene.loss = Some(Loss {
        period,
        length,
        is_stop,
    });
    scene.run()
}

#[test]
fn background_work_is_back_soon_after_a_neighbour_has_gone() {
    for (kernel, rule) in each() {
        let hog = Neighbour::hog(SECOND, 20 * SECOND);
        let outcome = Scene::new(kernel, rule, &[hog]).run();
        // Background work may have had a twentieth of the time until then.
        let gone = 22 * SECOND + 100 * MILLISECOND;
        let after = outcome.pieces.iter().filter(|&&end| end > gone);
        let hundred = *after.clone().nth(99).expect("background work runs again");
        assert!(
            hundred < gone + 200 * MILLISECOND,
            "{kernel:?}, {rule:?}: {hundred}"
        );
    }
}

/// For how long each controller pauses when a thread that waited a second before the first question
/// waits for a millisecond after it.
fn first_pauses() -> [u64; 2] {
    [Machine::polite(), Machine::new()].map(|mut machine| {
        let mut reading = Reading {
            waited: SECOND,
            ..Reading::default()
        };
        let first = machine.decide(&reading);
        assert!(
            matches!(first, Verdict::Run { .. }),
            "the past does not count"
        );
        reading.now = 2 * MILLISECOND;
        reading.waited += MILLISECOND;
        match machine.decide(&reading) {
            Verdict::Hold { until } => until - reading.now,
            Verdict::Run { .. } => panic!("a neighbour has run"),
        }
    })
}

#[test]
fn a_thread_that_may_preempt_its_neighbours_pauses_longer_at_first() {
    let [polite, cautious] = first_pauses();
    assert!(polite < cautious, "{polite} {cautious}");
}
