//! The running system, on Linux: its files below `/proc` and the mounted control groups.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::control_group::{ControlGroup, limited_groups};
use crate::schedstat::Schedstat;
use crate::system::{Calls, System, ThreadTimes};

/// The running system, as it looks to one thread: the one that asks.
#[derive(Debug)]
pub struct Kernel {
    root: PathBuf,
    calls: Calls,
    /// Opened at the first question, so that it is the file of the thread that asks.
    schedstat: Option<Schedstat>,
}

impl Kernel {
    /// The system with the control groups below the folder `root`: `/`, or a recorded one.
    #[must_use]
    pub fn new(root: &Path, calls: Calls) -> Self {
        Self {
            root: root.to_owned(),
            calls,
            schedstat: None,
        }
    }
}

impl System for Kernel {
    type Group = ControlGroup;

    fn limited_groups(&mut self) -> Vec<ControlGroup> {
        limited_groups(&self.root)
    }

    fn now(&mut self) -> u64 {
        (self.calls.now)()
    }

    fn thread_time(&mut self) -> u64 {
        (self.calls.thread_time)()
    }

    fn set_batch(&mut self, is_batch: bool) -> bool {
        (self.calls.set_batch)(is_batch)
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
