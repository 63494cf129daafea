//! Each rule of the two drains on a host whose answers are set by hand.

mod check;
mod checkpoint;
mod overdue;
mod quantum;
mod scheduler;
mod should_yield;
