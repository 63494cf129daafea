//! Each rule of the two drains on a host whose answers are set by hand.

mod quantum;
mod scheduler;
mod should_yield;
