//! A quota, a phase and work that change while the program runs.

use crate::MS;
use crate::scenario::{
    Change, Kind, Loop, PERIOD, SECOND, Scenario, compare, requests, seeds, server,
};

/// The quota is halved after 10 s; the controller learns it 10 s later.
fn halved(quota: u64) -> Scenario {
    let mut one = server(quota, 0.1, 4 * MS, true, MS / 2);
    let to = quota / 2;
    let told_after = 10 * SECOND;
    one.changes = vec![(10 * SECOND, Change::Quota { to, told_after })];
    one
}

#[test]
fn a_halved_quota_is_obeyed_within_fifteen_seconds() {
    for quota in [25, 50, 100] {
        let mut one = halved(quota * MS);
        one.from = 25 * SECOND;
        one.end = 145 * SECOND;
        let mut always = one.clone();
        always.changes.clear();
        always.quota /= 2;
        let figures = compare(&one, seeds(4));
        assert!(figures.p99 <= 1.25, "quota {quota}: {}", figures.p99);
        assert!(figures.throttled <= 5.0, "quota {quota}");
        let halved = one
            .run(Some(Kind::Ours), *seeds(1).start())
            .all_background() as f64;
        let always = always
            .run(Some(Kind::Ours), *seeds(1).start())
            .all_background() as f64;
        assert!((halved / always - 1.0).abs() < 0.1, "{}", halved / always);
    }
}

#[test]
fn before_a_halved_quota_is_known_throttling_alone_makes_background_work_less() {
    let mut one = halved(50 * MS);
    one.from = 13 * SECOND;
    one.end = 20 * SECOND;
    let ours = one.run(Some(Kind::Ours), *seeds(1).start());
    let unbounded = one.run(Some(Kind::Unbounded), *seeds(1).start());
    assert!(unbounded.throttled_percent() > 80.0);
    assert!(
        ours.throttled_percent() < 40.0,
        "{}",
        ours.throttled_percent()
    );
    assert!(ours.all_background() > 0);
}

#[test]
fn a_doubled_quota_is_used() {
    let mut one = server(25 * MS, 0.1, 4 * MS, true, MS / 2);
    let change = Change::Quota {
        to: 50 * MS,
        told_after: 10 * SECOND,
    };
    one.changes = vec![(10 * SECOND, change)];
    one.from = 25 * SECOND;
    let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
    let left = 50 * MS * outcome.periods - outcome.request_work;
    let used = outcome.all_background() as f64 / left as f64;
    assert!(used >= 0.75, "{used}");
}

#[test]
fn a_shifted_phase_is_found_again() {
    let mut one = server(50 * MS, 0.3, 4 * MS, true, MS / 2);
    one.end = 125 * SECOND;
    one.changes = vec![(60 * SECOND, Change::Phase { by: 37 * MS })];
    let figures = compare(&one, seeds(4));
    assert!(figures.p99 <= 1.25, "{}", figures.p99);
    assert!(figures.throttled <= 5.0, "{}", figures.throttled);
    one.from = 62 * SECOND;
    let figures = compare(&one, seeds(4));
    assert!(figures.throttled <= 5.0, "{}", figures.throttled);
    assert!(figures.used >= 0.7, "{}", figures.used);
}

#[test]
fn a_rush_of_requests_finds_most_of_the_quota() {
    let mut one = server(50 * MS, 0.6, 4 * MS, true, MS / 2);
    let rush = one.loops[0].requests.clone();
    one.loops[0].requests = None;
    one.loops.push(Loop {
        requests: rush,
        processor: 1,
        ..Loop::default()
    });
    one.processors = 2;
    one.end = 125 * SECOND;
    let figures = compare(&one, seeds(4));
    assert!(figures.p99 <= 1.25, "{}", figures.p99);
}

#[test]
fn a_saturated_group_runs_background_work_hardly_ever() {
    let mut one = server(50 * MS, 0.0, 4 * MS, true, MS / 2);
    one.processors = 2;
    one.loops[0].requests = None;
    one.loops.push(Loop {
        requests: requests(PERIOD, 0.8, 4 * MS, false),
        processor: 1,
        ..Loop::default()
    });
    let outcome = one.run(Some(Kind::Ours), *seeds(1).start());
    let used = outcome.all_background() as f64 / (50 * MS * outcome.periods) as f64;
    assert!(used < 0.04, "{used}");
}

#[test]
fn a_burst_is_left_to_requests() {
    let mut one = server(50 * MS, 0.3, 4 * MS, true, MS / 2);
    one.burst = 25 * MS;
    let figures = compare(&one, seeds(4));
    assert!(figures.p99 <= 1.1, "{}", figures.p99);
    assert!(
        figures.used >= 0.7 && figures.used <= 1.0,
        "{}",
        figures.used
    );
}
