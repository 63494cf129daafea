//! The running system, on Linux, as it looks to one thread: the one that asks.
//!
//! `/proc/thread-self/schedstat` says for how long a thread has run on a processor, and for how
//! long it has waited for one. The file stays open, and a read into a small buffer allocates
//! nothing (about 0.5 µs). It belongs to the thread that opened it, whichever thread reads.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::thread;

use crate::control_group::limited_groups;
use crate::system::{Group, System, ThreadTimes};

/// More than three numbers of 20 digits with their spaces.
const LONGEST: usize = 64;

/// The running system.
#[derive(Debug, Default)]
pub struct Kernel {
    /// Opened at the first question, so that it is the file of the thread that asks.
    schedstat: Option<File>,
}

impl System for Kernel {
    fn limited_groups(&mut self) -> Vec<Group> {
        limited_groups(Path::new("/"))
    }

    fn thread_times(&mut self) -> Option<ThreadTimes> {
        if self.schedstat.is_none() {
            self.schedstat = File::open("/proc/thread-self/schedstat").ok();
        }
        let mut buffer = [0; LONGEST];
        let length = self.schedstat.as_ref()?.read_at(&mut buffer, 0).ok()?;
        parse(&buffer[..length])
    }

    fn is_main_thread(&mut self) -> bool {
        // `<process>/task/<thread>`, and the main thread has the number of its process.
        let link = fs::read_link("/proc/thread-self");
        link.map_or(true, |link| link.iter().next() == link.file_name())
    }

    fn give_way(&mut self) {
        thread::yield_now();
    }
}

/// Takes the text `<ran> <waited> <slices>`. A thread that reads has run, so zeros mean that the
/// kernel counts nothing (`CONFIG_SCHED_INFO` is off, or a sandbox answers). It brings `ran` up to
/// date at each tick only, so a young thread can have 0 there; its number of slices is at least 1.
#[must_use]
pub fn parse(text: &[u8]) -> Option<ThreadTimes> {
    let mut numbers = str::from_utf8(text).ok()?.split_ascii_whitespace();
    let mut next = || numbers.next()?.parse::<u64>().ok();
    let (ran, waited, slices) = (next()?, next()?, next()?);
    (ran != 0 || waited != 0 || slices != 0).then_some(ThreadTimes { ran, waited })
}
