//! The running system as it answers: on Linux from its files, elsewhere with nothing.

use uv_scheduler_idle::Kernel;
use uv_scheduler_idle::system::System;

#[test]
fn the_groups_that_it_finds_can_be_read() {
    let groups = Kernel::default().limited_groups();
    assert!(cfg!(target_os = "linux") || groups.is_empty());
    for group in groups {
        assert!(group.limit.quota > 0);
        assert!((group.read)().is_some());
    }
}

#[test]
fn a_thread_that_was_started_is_not_the_main_thread_on_linux() {
    let ask = || Kernel::default().is_main_thread();
    let is_main = std::thread::spawn(ask).join().unwrap();
    assert_eq!(is_main, !cfg!(target_os = "linux"));
}
