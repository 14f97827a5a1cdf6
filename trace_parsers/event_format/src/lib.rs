//! The kernel's event format text, and raw records laid out by it turned into columns.
//!
//! Every tracing container (trace.dat, perf.data, raw ring-buffer pages) carries the text of
//! `events/<system>/<event>/format` and raw records. [`EventFormat::parse`] reads the text; [`RowBuffer`] collects raw
//! records and turns a chunk of them into one Arrow batch, column by column. Fields are found by name, offset, size
//! and sign as the text says, never by an assumed layout.

mod endian;
mod format;
mod plan;
pub mod printk;
mod rows;

pub use endian::Endian;
pub use format::{ArrayLength, EventFormat, FieldFormat, Storage};
pub use rows::RowBuffer;
