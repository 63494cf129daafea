//! The running system as it answers: on Linux from its files, elsewhere with nothing.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use uv_scheduler_idle::kernel::Kernel;
use uv_scheduler_idle::system::{Group, System};

static IS_UPDATED: AtomicBool = AtomicBool::new(false);

#[test]
fn the_groups_that_it_finds_can_be_read() {
    let mut kernel = Kernel::new(Path::new("/"), || ());
    let groups = kernel.limited_groups();
    assert!(cfg!(target_os = "linux") || groups.is_empty());
    for group in groups {
        assert!(group.is_same(&group) && group.limit().quota > 0);
        assert!(group.read().is_some());
    }
}

#[test]
fn usage_is_brought_up_to_date_by_what_it_was_given() {
    let mut kernel = Kernel::new(Path::new("/"), || IS_UPDATED.store(true, Ordering::Relaxed));
    kernel.update_usage();
    assert_eq!(
        IS_UPDATED.load(Ordering::Relaxed),
        cfg!(target_os = "linux")
    );
}

#[test]
fn giving_way_takes_as_long_as_it_says() {
    let start = Instant::now();
    let time = Kernel::new(Path::new("/"), || ()).give_way();
    assert!(u128::from(time) <= start.elapsed().as_nanos());
}
