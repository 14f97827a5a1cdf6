//! Last-level caches: which processes ran below which, and how far tasks moved.

mod cache_aware;
mod sections;

pub use self::sections::{DESCRIPTIONS, KINDS, PARTS, SECTIONS};
