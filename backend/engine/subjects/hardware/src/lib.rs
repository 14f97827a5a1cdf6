//! Frequencies, idle states, interrupts and softirqs of the CPUs.

mod sections;

pub use self::sections::SUBJECT;
