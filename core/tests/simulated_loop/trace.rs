//! The last events of a schedule, for the message of a failing test.

use std::collections::VecDeque;
use std::fmt;

const KEPT: usize = 30;

struct Event {
    at: u64,
    what: &'static str,
    id: u32,
    rank: i8,
}

#[derive(Default)]
pub struct Trace(VecDeque<Event>);

impl Trace {
    /// Adds an event. It is formatted only when it is shown, as most schedules keep the contract.
    pub fn push(&mut self, at: u64, what: &'static str, id: u32, rank: i8) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(Event { at, what, id, rank });
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Event { at, what, id, rank } in &self.0 {
            writeln!(f, "{at:>12} ns  {what} {id} (priority {rank})")?;
        }
        Ok(())
    }
}
