//! BPF schedulers (`sched_ext`).

pub mod sections;

pub use self::sections::SUBJECT;
