//! The running system, on Linux: its files below `/proc` and the mounted control groups.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Instant;

use crate::control_group::{ControlGroup, limited_groups};
use crate::schedstat::Schedstat;
use crate::system::{System, ThreadTimes};

/// The running system, as it looks to one thread: the one that asks.
#[derive(Debug)]
pub struct Kernel {
    root: PathBuf,
    update_usage: fn(),
    /// Opened at the first question, so that it is the file of the thread that asks.
    schedstat: Option<Schedstat>,
}

impl Kernel {
    /// The system with the control groups below the folder `root`: `/`, or a recorded one.
    /// `update_usage` is called before each reading of a group's counters, and brings up to date
    /// what this thread has used.
    #[must_use]
    pub fn new(root: &Path, update_usage: fn()) -> Self {
        Self {
            root: root.to_owned(),
            update_usage,
            schedstat: None,
        }
    }
}

impl System for Kernel {
    type Group = ControlGroup;

    fn limited_groups(&mut self) -> Vec<ControlGroup> {
        limited_groups(&self.root)
    }

    fn update_usage(&mut self) {
        (self.update_usage)();
    }

    fn thread_times(&mut self) -> Option<ThreadTimes> {
        if self.schedstat.is_none() {
            self.schedstat = Schedstat::open();
        }
        let times = self.schedstat.as_ref()?.read()?;
        Some(ThreadTimes {
            ran: times.ran,
            waited: times.waited,
        })
    }

    fn give_way(&mut self) -> u64 {
        let start = Instant::now();
        thread::yield_now();
        u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}
