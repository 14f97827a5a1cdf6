//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod idle_balancing_examples;
mod idle_balancing_lost_and_idle;
mod idle_balancing_observe;
mod idle_balancing_probed;
mod idle_balancing_properties;
mod idle_balancing_replay;
mod searches;
