//! The running system where it is not Linux: no group has a quota, and nothing tells how long a
//! thread waits for a processor.

use std::path::Path;

use crate::container::Limit;
use crate::system::{Calls, Counters, Group, System, ThreadTimes};

/// The running system.
#[derive(Debug)]
pub struct Kernel;

impl Kernel {
    /// The running system. The arguments matter on Linux only.
    #[must_use]
    pub fn new(_root: &Path, _calls: Calls) -> Self {
        Self
    }
}

/// There is none.
#[derive(Debug)]
pub enum NoGroup {}

impl Group for NoGroup {
    fn limit(&self) -> Limit {
        match *self {}
    }

    fn is_same(&self, _other: &Self) -> bool {
        match *self {}
    }

    fn read(&self) -> Option<Counters> {
        match *self {}
    }
}

impl System for Kernel {
    type Group = NoGroup;

    fn limited_groups(&mut self) -> Vec<NoGroup> {
        Vec::new()
    }

    fn now(&mut self) -> u64 {
        0
    }

    fn thread_time(&mut self) -> u64 {
        0
    }

    fn set_batch(&mut self, _is_batch: bool) -> bool {
        false
    }

    fn thread_times(&mut self) -> Option<ThreadTimes> {
        None
    }

    fn is_main_thread(&mut self) -> bool {
        true
    }

    fn give_way(&mut self) {}
}
