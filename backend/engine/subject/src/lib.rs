//! Parts of a subject: sections and findings over a window of an open bundle.
//!
//! * [`Context`]: an open bundle with its computed results, which sections share;
//! * [`section`]: a section is a name, typed options and a typed answer; [`subject!`] lists those of a subject;
//! * [`decisions`]: decisions of the kernel, counted by outcome;
//! * [`findings`]: a finding, its kind in the catalogue, its places and its severity; [`detectors!`] lists those of a subject;
//! * [`metrics`]: figures by which recordings are compared;
//! * [`window`]: what analyses of a part of a recording share;
//! * [`waits`], [`logs`], [`vmstat`]: parts of the bundle that several subjects read.
//!
//! A subject answers from the results of the replay in the bundle: states, waits, index, logs and samples. It opens no event table.
//!
//! A section is declared once: a function of a bundle, a window and options in its subject's `sections`, and a row of `subject!` with
//! its description for the service. Options and answer derive their JSON schemas. Checks of options, the routes, their
//! query parameters and the `OpenAPI` document follow from that. Shared results of several sections are a key and a value of the
//! context: computed when first needed and kept for the next, within a limit on bytes.

mod context;
pub mod decisions;
pub mod distribution;
pub mod findings;
pub mod jiffies;
pub mod logs;
pub mod metrics;
pub mod options;
pub mod report;
pub mod section;
mod shared;
mod table;
pub mod vmstat;
pub mod waits;
pub mod window;

pub use self::context::{Context, Usage};
pub use self::section::{Stop, optional};
pub use self::shared::Shared;
pub use self::table::{Found, Subject};
pub use self::window::Window;
