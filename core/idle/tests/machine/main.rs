//! What the controller for neighbours on the same processor promises, on a simulated processor.

mod neighbours;
mod schedulers;
mod simulated_processor;

use neighbours::{MICROSECOND, MILLISECOND, Neighbour};
use simulated_processor::{Kernel, Loss, Outcome, Rule, Scene};
use uv_scheduler_idle::controller::Controller;
use uv_scheduler_idle::machine::{Machine, Reading};

const SECOND: u64 = 1_000 * MILLISECOND;

/// A server whose requests take 1 to 4 ms and end a while before the scene does.
fn server(load: f64) -> Neighbour {
    let service = (MILLISECOND, 4 * MILLISECOND);
    Neighbour::server(load, service, 1, 58 * SECOND, 3)
}

/// Runs a server with and without background work. Returns how much of what it leaves is used.
fn share_used_beside(load: f64, kernel: Kernel) -> f64 {
    let scene = Scene::new(kernel, Rule::Polite, &[server(load)]);
    let alone = scene.with_rule(Rule::Never).run();
    let shared = scene.run();
    for percent in [50, 90, 99] {
        let ratio = shared.percentile(percent) as f64 / alone.percentile(percent) as f64;
        assert!(ratio <= 1.25, "{kernel:?}: p{percent} x {ratio:.2}");
    }
    shared.share_used()
}

#[test]
fn a_server_at_20_percent_keeps_its_latency_and_half_of_what_it_leaves_is_used() {
    for kernel in Kernel::ALL {
        let used = share_used_beside(0.2, kernel);
        assert!(used >= 0.85, "{kernel:?}: {used:.2}");
    }
}

#[test]
fn a_server_at_60_percent_keeps_its_latency_and_half_of_what_it_leaves_is_used() {
    for kernel in Kernel::ALL {
        let used = share_used_beside(0.6, kernel);
        assert!(used >= 0.5, "{kernel:?}: {used:.2}");
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
    for kernel in Kernel::ALL {
        let outcome = Scene::new(kernel, Rule::Polite, &[Neighbour::hog(0, 600 * SECOND)]).run();
        let share = outcome.neighbours_share();
        assert!(share >= 0.95, "{kernel:?}: {share:.3}");
    }
}

#[test]
fn an_idle_machine_is_used_fully() {
    for piece in [20 * MICROSECOND, 5 * MILLISECOND] {
        let mut scene = Scene::new(Kernel::ALL[0], Rule::Polite, &[]);
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
    let mut scene = Scene::new(Kernel::ALL[0], Rule::Polite, &[]);
    scene.loss = Some(Loss {
        period,
        length,
        is_stop,
    });
    scene.run()
}

#[test]
fn background_work_is_back_soon_after_a_neighbour_has_gone() {
    for kernel in Kernel::ALL {
        let hog = Neighbour::hog(SECOND, 20 * SECOND);
        let outcome = Scene::new(kernel, Rule::Polite, &[hog]).run();
        // Background work may have had a twentieth of the time until then.
        let gone = 22 * SECOND + 100 * MILLISECOND;
        let after = outcome.pieces.iter().filter(|&&end| end > gone);
        let hundred = *after.clone().nth(99).expect("background work runs again");
        assert!(hundred < gone + 200 * MILLISECOND, "{kernel:?}: {hundred}");
    }
}

#[test]
fn what_a_thread_waited_before_the_first_question_does_not_count() {
    let mut machine = Machine::default();
    let mut reading = Reading::default();
    reading.times.waited = SECOND;
    assert!(!machine.decide(&reading).holds);
    reading.now = 2 * MILLISECOND;
    reading.times.waited += MILLISECOND;
    assert!(machine.decide(&reading).holds);
}
