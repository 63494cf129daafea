//! The simulated kernel does what the controller has to cope with.

use crate::MS;
use crate::bandwidth::Bandwidth;
use crate::scenario::{Kind, PERIOD, server};

#[test]
fn a_group_that_uses_its_quota_stops_until_the_next_boundary() {
    let mut group = Bandwidth::new(10 * MS, PERIOD, 0, 30 * MS, 1);
    group.charge(0, 6 * MS, MS);
    assert!(!group.is_throttled(0));
    group.charge(0, 5 * MS, 7 * MS);
    assert!(group.is_throttled(0));
    assert_eq!(group.next_event(), 30 * MS);
    group.on_time(30 * MS);
    assert!(!group.is_throttled(0));
    assert_eq!((group.periods, group.throttled), (1, 1));
}

#[test]
fn an_idle_group_counts_no_periods_and_keeps_its_phase() {
    let mut group = Bandwidth::new(10 * MS, PERIOD, 0, 30 * MS, 1);
    group.charge(0, MS, MS);
    group.give_back(0, MS);
    while group.next_event() != u64::MAX {
        group.on_time(group.next_event());
    }
    let counted = group.periods;
    assert!(counted <= 2);
    group.charge(0, 6 * MS, 1_007 * MS);
    let late = group.next_event() - 1_030 * MS;
    assert!(late <= 2 * MS);
    assert_eq!(group.periods, counted);
}

#[test]
fn unbounded_background_work_makes_requests_wait_for_the_next_period() {
    let one = server(50 * MS, 0.3, 4 * MS, true, MS / 2);
    let alone = one.run(None, 1);
    let with = one.run(Some(Kind::Unbounded), 1);
    assert!(with.throttled_percent() > 95.0);
    assert!(with.percentile(0.99) > 3.0 * alone.percentile(0.99));
}
