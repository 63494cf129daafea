//! What the controller for neighbours on the same processor promises, on a simulated processor.

mod neighbours;
mod simulated_processor;

use neighbours::{MICROSECOND, MILLISECOND, Neighbour};
use simulated_processor::{Kernel, Loss, Outcome, Rule, Scene};

const SECOND: u64 = 1_000 * MILLISECOND;

/// Kernels that let a thread give way whenever it yields.
fn fair_kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL
        .into_iter()
        .filter(|kernel| kernel.yields_at_once)
}

/// A server whose requests take 1 to 4 ms and end a while before the scene does.
fn server(load: f64) -> Neighbour {
    let service = (MILLISECOND, 4 * MILLISECOND);
    Neighbour::server(load, service, 1, 58 * SECOND, 3)
}

fn assert_gives_way(scene: &Scene) -> Outcome {
    let alone = scene.with_rule(Rule::Never).run();
    let shared = scene.run();
    for (percent, most) in [(50, 1.25), (90, 1.1), (99, 1.25)] {
        let ratio = shared.percentile(percent) as f64 / alone.percentile(percent) as f64;
        assert!(ratio <= most, "{:?}: p{percent} x {ratio:.2}", scene.kernel);
    }
    shared
}

#[test]
fn a_server_at_20_percent_keeps_its_latency_and_most_of_what_it_leaves_is_used() {
    for kernel in fair_kernels() {
        let used = assert_gives_way(&Scene::new(kernel, &[server(0.2)])).share_used();
        assert!(used >= 0.8, "{kernel:?}: {used:.2}");
    }
}

#[test]
fn a_server_at_60_percent_keeps_its_latency_and_half_of_what_it_leaves_is_used() {
    for kernel in fair_kernels() {
        let used = assert_gives_way(&Scene::new(kernel, &[server(0.6)])).share_used();
        assert!(used >= 0.5, "{kernel:?}: {used:.2}");
    }
}

#[test]
fn without_the_controller_the_simulated_server_becomes_slow() {
    for kernel in Kernel::ALL {
        let scene = Scene::new(kernel, &[server(0.2)]);
        let alone = scene.with_rule(Rule::Never).run().percentile(99);
        assert!(scene.with_rule(Rule::Always).run().percentile(99) > 2 * alone);
    }
}

#[test]
fn batch_work_of_a_neighbour_gets_nearly_the_whole_processor() {
    for kernel in fair_kernels() {
        let outcome = Scene::new(kernel, &[Neighbour::hog(0, 600 * SECOND)]).run();
        let share = outcome.neighbours_share();
        assert!(share >= 0.95, "{kernel:?}: {share:.3}");
    }
}

#[test]
fn an_idle_machine_is_used_fully() {
    for kernel in Kernel::ALL {
        let used = Scene::new(kernel, &[]).run().share_used();
        assert!(used >= 0.99, "{kernel:?}: {used:.3}");
    }
}

#[test]
fn interrupts_and_kernel_threads_do_not_pause_background_work() {
    for (period, length) in [
        (MILLISECOND, 30 * MICROSECOND),
        (100 * MICROSECOND, 3 * MICROSECOND),
        (SECOND, 90 * MICROSECOND),
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
    let mut scene = Scene::new(Kernel::ALL[0], &[]);
    scene.loss = Some(Loss {
        period,
        length,
        is_stop,
    });
    scene.run()
}

#[test]
fn background_work_is_back_soon_after_a_neighbour_has_gone() {
    for kernel in fair_kernels() {
        let outcome = Scene::new(kernel, &[Neighbour::hog(SECOND, 20 * SECOND)]).run();
        let gone = 21 * SECOND;
        let after = outcome.pieces.iter().filter(|&&end| end > gone);
        let ten = *after.clone().nth(9).expect("background work runs again");
        assert!(
            ten < gone + 100 * MILLISECOND,
            "{kernel:?}: after {}",
            ten - gone
        );
    }
}
