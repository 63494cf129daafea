//! Whether background work has to leave the processor to others although its event loop is idle:
//! to other work of its control group, which has a CPU quota, or to other threads of the machine.
//!
//! Plain Rust without a host, as the core is. On Linux it reads what the kernel says of the control
//! groups of the process and of the thread; elsewhere background work never has to wait. From the
//! bottom up:
//!
//! ```text
//! verdict        what a controller answers
//! container      the controller of a quota: readings of a group in, a verdict out
//! machine        the controller of neighbours: readings of a thread in, a verdict out
//! system         the questions to the system, as traits
//! mounts         which control group hierarchies are mounted where
//! membership     which groups the process is in
//! control_group  a group's limit and counters
//! schedstat      how long the thread ran, and waited for a processor
//! ```

#![forbid(unsafe_code)]

pub mod container;
pub mod machine;
pub mod system;
pub mod verdict;

#[cfg(target_os = "linux")]
pub mod control_group;
#[cfg(target_os = "linux")]
pub mod membership;
#[cfg(target_os = "linux")]
pub mod mounts;
#[cfg(target_os = "linux")]
pub mod schedstat;
