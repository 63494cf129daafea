//! Each guarantee of the hooks and calls on a loop whose answers are set by hand.

mod beside;
mod calls;
mod fixture;
mod giving_way;
mod holding;
mod refused;
mod shares;
