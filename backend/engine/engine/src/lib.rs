//! The answers over a window of a bundle, and its report, by the list of subjects.
//!
//! Each subject is a crate below `backend/engine/subjects` with its own sections and kinds of findings; the dependencies of
//! this crate are the only list of them. [`analyse`] answers one section, [`report`] writes those that the report has, [`found`] ranks the findings of all
//! subjects, and [`catalogue`] has the wording of all.
//!
//! A new subject is a crate and a line in that list: its sections, parts of the report, schemas and kinds of findings follow.
//! [`headline`] states a window in one sentence. The report has the schema `numalens.report/1`; its sections are those whose row has
//! `report(options, shape)`, in the order of the list.

mod catalogue;
mod decisions;
pub mod findings;
pub mod headline;
mod metrics;
mod report;
mod sections;
mod subjects;

pub use numalens_cling::sections::answer::{ClingTracks, GroupTrack, NodeTrack, cling_tracks};
pub use numalens_idle_balancing::sections::ilb::{Kicks, kicks};
pub use numalens_machine::sections::utilisation::{states, used};
pub use numalens_machine::timeline::timeline;
pub use numalens_numa_balancing::sections::balancing::attempts;
pub use numalens_numa_balancing::statistics::compare_rows;
pub use numalens_off_cpu::TaskSleep;
pub use numalens_off_cpu::sections::{all_requests as requests, each_sleep};
pub use numalens_psi::options::Pressure;
pub use numalens_psi::sections::psi::replayed as pressure;
pub use numalens_psi::sections::sampled::pressure_samples;
pub use numalens_subject::{Context, Stop, Usage, Window, optional};
pub use numalens_waits::sections::latency::Ledger;

pub use self::catalogue::catalogue;
pub use self::decisions::compare_decisions;
pub use self::findings::found;
pub use self::metrics::{compare_metrics, metrics};
pub use self::report::report;
pub use self::sections::{analyse, options, schemas, section_names};
