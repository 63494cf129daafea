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
    schedstat: Option<Schedstat>,
}

impl System for Kernel {
    fn limited_groups(&mut self) -> Vec<Group> {
        limited_groups(Path::new("/"))
    }

    fn thread_times(&mut self) -> Option<ThreadTimes> {
        if self.schedstat.is_none() {
            self.schedstat = Schedstat::open(Schedstat::PATH);
        }
        self.schedstat.as_ref()?.read()
    }

    fn is_main_thread(&mut self) -> bool {
        // `<process>/task/<thread>`, and the main thread has the number of its process.
        let Ok(link) = fs::read_link("/proc/thread-self") else {
            return true;
        };
        link.iter().next() == link.file_name()
    }

    fn give_way(&mut self) {
        thread::yield_now();
    }
}

/// The open file of one thread.
#[derive(Debug)]
pub struct Schedstat(File);

impl Schedstat {
    /// Where the kernel has the file of the thread that opens it.
    pub const PATH: &str = "/proc/thread-self/schedstat";

    /// Opens the file of the calling thread, at [`Schedstat::PATH`]. None if there is none, or the
    /// kernel counts nothing (`CONFIG_SCHED_INFO` is off, or a sandbox answers with zeros).
    #[must_use]
    pub fn open(path: &str) -> Option<Self> {
        let schedstat = Self(File::open(path).ok()?);
        schedstat.read().map(|_| schedstat)
    }

    /// The times up to now. `None`: they cannot be read, or are all zero.
    #[must_use]
    pub fn read(&self) -> Option<ThreadTimes> {
        let mut buffer = [0; LONGEST];
        let length = self.0.read_at(&mut buffer, 0).ok()?;
        parse(&buffer[..length])
    }
}

/// Takes the text `<ran> <waited> <slices>`. A thread that reads has run, so zeros mean that
/// nothing is counted. The kernel brings `ran` up to date at each tick only, so a young thread can
/// have 0 there; its number of slices is at least 1.
#[must_use]
pub fn parse(text: &[u8]) -> Option<ThreadTimes> {
    let mut numbers = str::from_utf8(text).ok()?.split_ascii_whitespace();
    let mut next = || numbers.next()?.parse::<u64>().ok();
    let (ran, waited, slices) = (next()?, next()?, next()?);
    (ran != 0 || waited != 0 || slices != 0).then_some(ThreadTimes { ran, waited })
}
