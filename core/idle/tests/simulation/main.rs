//! The controller for a CPU quota on a simulated machine: the goals that it has to reach, and what
//! people write by hand instead. `cargo test -p uv-scheduler-idle -- --nocapture` prints figures.

mod bandwidth;
mod batch;
mod changes;
mod comparison;
mod contenders;
mod dice;
mod event_loop;
mod kernel_model;
mod machine;
mod one_server;
mod scenario;
mod several;

/// A millisecond in ns.
pub const MS: u64 = 1_000_000;
