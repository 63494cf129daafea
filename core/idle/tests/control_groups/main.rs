//! Finding and reading the control groups of the process: as recorded from systems of all kinds, in
//! hostile folders, and in groups that the test makes.
#![cfg(target_os = "linux")]

mod folder;
mod hostile;
mod made;
mod membership;
mod recorded;
