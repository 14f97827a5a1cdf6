//! Samples with stacks.

mod options;
mod sections;
mod tree;

pub use self::sections::SUBJECT;
