//! A batch program alone: it gets nearly all of its quota.

use crate::MS;
use crate::event_loop::Requests;
use crate::scenario::{Kind, Loop, Outcome, PERIOD, SECOND, Scenario, pieces, requests, seeds};

fn batch(quota: u64, longest: u64) -> Scenario {
    Scenario {
        quota,
        burst: 0,
        blind: false,
        processors: 2,
        loops: vec![Loop {
            pieces: pieces(MS / 5, longest),
            ..Loop::default()
        }],
        changes: Vec::new(),
        end: 40 * SECOND,
        from: 5 * SECOND,
    }
}

/// The part of the quota, or of a processor, that background work used.
fn used(scenario: &Scenario, outcome: &Outcome) -> f64 {
    let most = scenario.quota.min(PERIOD) * outcome.periods;
    outcome.all_background() as f64 / most as f64
}

#[test]
fn a_batch_program_alone_uses_its_quota_and_is_not_throttled() {
    for quota in [25, 50, 80, 100, 200] {
        for seed in seeds(4) {
            let one = batch(quota * MS, MS);
            let outcome = one.run(Some(Kind::Ours), seed);
            let used = used(&one, &outcome);
            // Beside the pieces, waking up and reading cost about 2 % of the quota.
            assert!(used >= 0.95, "quota {quota}: {used}");
            assert!(outcome.throttled_percent() <= 2.0, "quota {quota}");
        }
    }
}

#[test]
fn a_batch_program_with_a_twentieth_of_a_processor_uses_nearly_all_of_it() {
    for seed in seeds(4) {
        let one = batch(5 * MS, MS / 2);
        let outcome = one.run(Some(Kind::Ours), seed);
        let used = used(&one, &outcome);
        assert!(used >= 0.95, "{used}");
        assert!(outcome.throttled_percent() <= 2.0);
    }
}

#[test]
fn a_batch_program_uses_most_of_its_quota_although_others_want_the_same_processor() {
    let mut one = batch(50 * MS, MS);
    one.loops.push(Loop {
        requests: requests(PERIOD, 0.4, 5 * MS, true),
        outside: true,
        ..Loop::default()
    });
    let outcomes = seeds(8).map(|seed| used(&one, &one.run(Some(Kind::Ours), seed)));
    let used = outcomes.sum::<f64>() / 8.0;
    assert!(used >= 0.8, "{used}");
}

#[test]
fn long_pieces_use_most_of_the_quota_too() {
    for quota in [25, 50, 100] {
        let one = batch(quota * MS, 5 * MS);
        let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
        let used = used(&one, &outcome);
        assert!(used >= 0.8, "quota {quota}: {used}");
    }
}

#[test]
fn pieces_as_long_as_the_quota_run_all_the_same() {
    let one = batch(5 * MS, 5 * MS);
    let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
    let used = used(&one, &outcome);
    assert!(used >= 0.4, "{used}");
}

#[test]
fn a_quota_that_one_thread_cannot_use_up_holds_it_hardly_ever() {
    let one = batch(200 * MS, MS);
    let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
    assert!(used(&one, &outcome) >= 0.98);
    assert!(outcome.wakes < 100, "{}", outcome.wakes);
}

#[test]
fn readings_come_at_most_once_per_millisecond_and_holds_wake_the_loop_seldom() {
    for quota in [5, 25, 50, 100] {
        let one = batch(quota * MS, MS / 4);
        let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
        let seconds = one.end / SECOND;
        assert!(outcome.readings / seconds <= 1_100);
        assert!(outcome.wakes / seconds <= 40, "{}", outcome.wakes / seconds);
    }
}

#[test]
fn a_batch_program_recovers_soon_when_collecting_garbage_has_used_up_its_quota() {
    let mut one = batch(5 * MS, MS / 2);
    one.loops.push(Loop {
        requests: Some(Requests {
            every: 5 * SECOND,
            service: 12 * MS,
            exponential: false,
            until: u64::MAX,
        }),
        ..Loop::default()
    });
    one.end = 105 * SECOND;
    for seed in seeds(4) {
        let outcome = one.run(Some(Kind::Ours), seed);
        let left = one.quota * outcome.periods - outcome.request_work;
        let used = outcome.all_background() as f64 / left as f64;
        assert!(used >= 0.9, "{used}");
    }
}
