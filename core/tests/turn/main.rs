//! Each rule of the two passes on a host whose answers are set by hand.

mod quantum;
mod scheduler;
mod should_yield;
