//! What is read of a thread's `schedstat`, from texts and from the running kernel.

#![cfg(target_os = "linux")]

use std::sync::mpsc;
use std::time::{Duration, Instant};

use uv_scheduler_idle::kernel::{Kernel, parse};
use uv_scheduler_idle::system::{System, ThreadTimes};

#[test]
fn reads_the_first_two_numbers() {
    let times = parse(b"123456789 4567 89\n");
    assert_eq!(
        times,
        Some(ThreadTimes {
            ran: 123_456_789,
            waited: 4567
        })
    );
}

#[test]
fn takes_the_longest_numbers() {
    let text = format!("{0} {0} {0}\n", u64::MAX);
    assert!(text.len() <= 64);
    assert_eq!(
        parse(text.as_bytes()).map(|times| times.waited),
        Some(u64::MAX)
    );
}

#[test]
fn has_nothing_to_say_where_the_kernel_counts_nothing() {
    assert_eq!(parse(b"0 0 0\n"), None);
}

#[test]
fn takes_a_young_thread_that_has_run_for_no_time_yet() {
    assert_eq!(parse(b"0 0 1\n"), Some(ThreadTimes { ran: 0, waited: 0 }));
}

#[test]
fn has_nothing_to_say_about_other_text() {
    for text in [
        "",
        "\n",
        "1",
        "1 2",
        "1 two 3",
        "-1 2 3",
        "1.5 2 3",
        "\u{ff} 2 3",
    ] {
        assert_eq!(parse(text.as_bytes()), None, "{text:?}");
    }
    assert_eq!(parse(b"\xff 2 3"), None);
}

#[test]
fn counts_the_work_of_this_thread() {
    let mut kernel = Kernel::default();
    // Nothing to test in a sandbox whose kernel counts nothing.
    let Some(before) = kernel.thread_times() else {
        let text = std::fs::read("/proc/thread-self/schedstat").unwrap_or_default();
        return assert_eq!(parse(&text), None);
    };
    let start = Instant::now();
    // The kernel may count at its ticks only.
    while kernel.thread_times().unwrap().ran == before.ran {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

/// A sleeping thread's readings do not grow, whoever takes them.
#[test]
fn belongs_to_the_thread_that_asked_first() {
    let (end, ended) = mpsc::channel::<()>();
    let (opened, other) = mpsc::channel();
    let sleeper = std::thread::spawn(move || {
        let mut kernel = Kernel::default();
        let times = kernel.thread_times();
        opened.send((kernel, times)).unwrap();
        ended.recv().unwrap_err();
    });
    let (mut other, times) = other.recv().unwrap();
    let mut own = Kernel::default();
    let before = own.thread_times();
    assert_eq!(before.is_some(), times.is_some());
    if let Some(before) = before {
        while own.thread_times().unwrap().ran < before.ran + 20_000_000 {}
        assert!(other.thread_times().unwrap().ran < 20_000_000);
    }
    drop(end);
    sleeper.join().unwrap();
}
