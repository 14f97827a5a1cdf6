//! The kernel's event format text, and raw records laid out by it turned into columns.
//!
//! Every tracing container (trace.dat, perf.data, raw ring-buffer pages) carries the text of
//! `events/<system>/<event>/format` and raw records. [`EventFormat::parse`] reads the text; [`RowBuffer`] collects raw
//! records and turns a chunk of them into one Arrow batch, column by column. Fields are found by name, offset, size
//! and sign as the text says, never by an assumed layout.
//!
//! A container may add a list to the record (`RowBuffer::with_list`), such as a sampled callchain.
//!
//! | field in the text | column |
//! |---|---|
//! | integer of 1, 2, 4, 8 bytes, pointer | integer of that width and sign |
//! | `char name[16]`, `__data_loc char[]`, `__rel_loc char[]` | text up to its NUL |
//! | `char buf[]` at the end (`print`) | text up to its NUL, without the line's newline |
//! | `u16 pair[2]` | list of fixed size |
//! | `__data_loc unsigned long[]`, `cpumask_t`, `u32 buf[]` | list; an ftrace stack is as long as its record |
//! | anything else | bytes |
//!
//! `printk.rs` makes the text of `trace_printk` lines (`bprint`, `bputs`) from the formats that a recording lists and the packed
//! arguments of each record, by the rules of the kernel's `vbin_printf`. A record may be shorter than its format says; missing bytes
//! read as zero.

mod endian;
mod format;
mod plan;
pub mod printk;
mod rows;

pub use endian::Endian;
pub use format::{ArrayLength, EventFormat, FieldFormat, Storage};
pub use rows::RowBuffer;
