//! The running system as it answers: on Linux from its files, elsewhere with nothing.

use std::path::Path;

use uv_scheduler_idle::kernel::Kernel;
use uv_scheduler_idle::system::{Calls, Group, System};

#[test]
fn the_groups_that_it_finds_can_be_read() {
    let mut kernel = Kernel::new(Path::new("/"), Calls::NONE);
    let groups = kernel.limited_groups();
    assert!(cfg!(target_os = "linux") || groups.is_empty());
    for group in groups {
        assert!(group.is_same(&group) && group.limit().quota > 0);
        assert!(group.read().is_some());
    }
}

#[test]
fn the_thread_is_asked_and_changed_by_what_it_was_given() {
    let calls = Calls {
        now: || 5,
        thread_time: || 7,
        set_batch: |is_batch| is_batch,
    };
    let mut kernel = Kernel::new(Path::new("/"), calls);
    let answers = (
        kernel.now(),
        kernel.thread_time(),
        kernel.set_batch(true),
        kernel.set_batch(false),
    );
    if cfg!(target_os = "linux") {
        assert_eq!(answers, (5, 7, true, false));
    } else {
        assert_eq!(answers, (0, 0, false, false));
    }
}

#[test]
fn a_thread_that_was_started_is_not_the_main_thread_on_linux() {
    let ask = || Kernel::new(Path::new("/"), Calls::NONE).is_main_thread();
    let is_main = std::thread::spawn(ask).join().unwrap();
    assert_eq!(is_main, !cfg!(target_os = "linux"));
}
