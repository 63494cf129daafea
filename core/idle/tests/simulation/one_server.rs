//! One server: its requests hardly notice background work, which uses most of what is left.

use crate::MS;
use crate::event_loop::Requests;
use crate::scenario::{PERIOD, SECOND, Scenario, compare, pieces, requests, seeds, server};
use std::sync::OnceLock;

/// Means of a few runs beside the same requests without background work.
#[derive(Default)]
pub struct Figures {
    pub name: String,
    pub p50: f64,
    pub p90: f64,
    pub p99: f64,
    pub used: f64,
    pub throttled: f64,
}

/// Requests of 2 ms, of 4 ms on average and of 10 ms on average.
const SERVICES: [(u64, bool); 3] = [(2, false), (4, true), (10, true)];

/// A server; with more than one processor as its quota, it has two loops.
fn scenario(quota: u64, load: f64, service: u64, exponential: bool) -> Scenario {
    let mut one = server(quota, load, service, exponential, MS / 4);
    one.end = 125 * SECOND;
    if quota > PERIOD {
        one.processors = 4;
        one.loops[0].requests = requests(quota, load / 2.0, service, exponential);
        let mut other = one.loops[0].clone();
        other.processor = 1;
        one.loops.push(other);
    }
    one
}

/// All quotas, loads and services.
fn grid() -> Vec<Figures> {
    let mut all = Vec::new();
    for quota in [25, 50, 200] {
        for load in [0.1, 0.3, 0.6] {
            for (service, exponential) in SERVICES {
                let one = scenario(quota * MS, load, service * MS, exponential);
                let mean = compare(&one, seeds(4));
                let name = format!("{quota} % quota, load {load}, {service} ms");
                all.push(Figures { name, ..mean });
            }
        }
    }
    all
}

/// Ours, computed once for all tests.
fn ours() -> &'static [Figures] {
    static ALL: OnceLock<Vec<Figures>> = OnceLock::new();
    ALL.get_or_init(grid)
}

#[test]
fn requests_hardly_notice_background_work() {
    for figures in ours() {
        let Figures { name, p90, p99, .. } = figures;
        println!("{name}: p90 {p90:.3} p99 {p99:.3} used {:.3}", figures.used);
        assert!(*p99 <= 1.25, "{name}: p99 times {p99}");
        assert!(*p90 <= 1.15, "{name}: p90 times {p90}");
    }
    let all = ours();
    let mean = all.iter().map(|figures| figures.p90).sum::<f64>() / all.len() as f64;
    assert!(mean <= 1.05, "{mean}");
}

#[test]
fn few_periods_more_are_throttled() {
    for Figures {
        name, throttled, ..
    } in ours()
    {
        assert!(*throttled <= 5.0, "{name}: {throttled} of 100");
    }
}

#[test]
fn most_of_what_is_left_is_used() {
    let all = ours();
    for Figures { name, used, .. } in all {
        assert!(*used >= 0.55, "{name}: {used}");
    }
    let mean = all.iter().map(|figures| figures.used).sum::<f64>() / all.len() as f64;
    assert!(mean >= 0.74, "{mean}");
}

#[test]
fn pieces_of_very_different_length_do_not_throttle_the_server() {
    for quota in [25, 50] {
        let mut one = server(quota * MS, 0.1, 2 * MS, false, MS / 2);
        one.loops[0].pieces = pieces(MS / 5, 5 * MS);
        one.end = 125 * SECOND;
        let figures = compare(&one, seeds(4));
        let Figures {
            used, throttled, ..
        } = figures;
        println!("mixed {quota}: used {used:.3} throttled {throttled:.2}");
        assert!(throttled <= 1.0, "quota {quota}: {throttled}");
        assert!(used >= 0.6, "quota {quota}: {used}");
    }
}

#[test]
fn where_use_cannot_be_read_throttling_alone_bounds_background_work() {
    for quota in [25, 50] {
        for load in [0.1, 0.3] {
            let mut one = server(quota * MS, load, 4 * MS, true, MS / 2);
            one.blind = true;
            one.from = 30 * SECOND;
            one.end = 150 * SECOND;
            let figures = compare(&one, seeds(4));
            let Figures {
                p90,
                p99,
                used,
                throttled,
                ..
            } = figures;
            println!(
                "blind {quota} {load}: p90 {p90:.3} p99 {p99:.3} used {used:.3} {throttled:.2}"
            );
            assert!(p90 <= 1.15, "quota {quota}, load {load}: {p90}");
            assert!(p99 <= 1.5, "quota {quota}, load {load}: {p99}");
            assert!(used >= 0.25, "quota {quota}, load {load}: {used}");
            assert!(throttled <= 9.0, "quota {quota}, load {load}: {throttled}");
        }
    }
}

#[test]
fn a_busy_server_leaves_six_tenths_of_the_rest_to_background_work() {
    for quota in [25, 50] {
        let mut one = scenario(quota * MS, 0.6, 3 * MS, false);
        one.loops[0].pieces = pieces(MS / 2, MS * 6 / 10);
        let figures = compare(&one, seeds(8));
        let Figures {
            used,
            p99,
            throttled,
            ..
        } = figures;
        println!("busy {quota}: p99 {p99:.3} used {used:.3} throttled {throttled:.2}");
        assert!(used >= 0.6, "quota {quota}: {used}");
        assert!(
            figures.p99 <= 1.15,
            "quota {quota}: p99 times {}",
            figures.p99
        );
        assert!(
            figures.throttled <= 3.5,
            "quota {quota}: {} of 100",
            figures.throttled
        );
    }
}

/// Those who see no request for a while must not take what the next one needs.
#[test]
fn requests_that_come_seldom_hardly_notice_background_work() {
    for (service, every) in [(2, 250), (2, 400), (4, 250), (4, 400)] {
        let mut one = server(50 * MS, 0.0, service * MS, false, MS / 4);
        one.loops[0].requests = Some(Requests {
            every: every * MS,
            service: service * MS,
            exponential: false,
            until: u64::MAX,
        });
        one.end = 605 * SECOND;
        let Figures { p99, used, .. } = compare(&one, seeds(4));
        println!("{service} ms every {every} ms: p99 {p99:.3} used {used:.3}");
        assert!(
            p99 <= 1.25,
            "{service} ms every {every} ms: p99 times {p99}"
        );
        assert!(used >= 0.8, "{service} ms every {every} ms: {used}");
    }
}
