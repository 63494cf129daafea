//! What the controller for a quota answers to readings that are set by hand.

use uv_scheduler_idle::container::{Container, Reading};
use uv_scheduler_idle::controller::Controller;
use uv_scheduler_idle::system::{Counters, Limit};

const MS: u64 = 1_000_000;
const LIMIT: Limit = Limit {
    quota: 50 * MS,
    period: 100 * MS,
};

/// A reading of a group that uses nothing, whose periods begin at whole tenths of a second.
fn reading(ms: u64) -> Reading {
    Reading {
        now: ms * MS,
        limit: LIMIT,
        counters: Counters {
            usage: Some(0),
            periods: ms / 100,
            ..Counters::default()
        },
        background: 0,
    }
}

/// A controller that saw a boundary at this time.
fn settled(ms: u64) -> Container {
    let mut container = Container::default();
    for before in [2, 1, 0] {
        container.decide(&reading(ms - before));
    }
    container
}

/// For how long background work is held after this time, in ms.
fn held(container: &mut Container, ms: u64) -> u64 {
    held_with(LIMIT, container, ms)
}

/// The same with another limit.
fn held_with(limit: Limit, container: &mut Container, ms: u64) -> u64 {
    let reading = reading(ms);
    let verdict = container.decide(&Reading { limit, ..reading });
    if verdict.holds {
        verdict.until / MS - ms
    } else {
        0
    }
}

#[test]
fn at_first_background_work_starts_late_however_long_the_machine_is_up() {
    for begin in [100, 86_400_000] {
        let held = held(&mut settled(begin), begin + 1);
        assert!((20..50).contains(&held), "{held}");
    }
}

#[test]
fn what_was_seen_of_a_group_counts_no_longer_after_a_gap() {
    let mut container = settled(100);
    for ms in 101..=5000 {
        container.decide(&reading(ms));
    }
    assert_eq!(held(&mut container, 5001), 0, "the quota is not used");
    let held = held(&mut container, 60_001);
    assert!((20..50).contains(&held), "{held}");
}

#[test]
fn another_period_makes_the_controller_search_again() {
    let mut container = settled(100);
    let period = 50 * MS;
    let limit = Limit { period, ..LIMIT };
    assert_eq!(held_with(limit, &mut container, 101), 0);
}

#[test]
fn another_quota_counts_from_the_next_question() {
    let mut container = settled(100);
    let quota = 10 * MS;
    let held = held_with(Limit { quota, ..LIMIT }, &mut container, 101);
    assert!(held > 80, "{held}");
}
