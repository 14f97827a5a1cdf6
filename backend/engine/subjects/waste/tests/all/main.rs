//! The tests of this crate, in one program: each would otherwise be linked by itself.

mod waste;
