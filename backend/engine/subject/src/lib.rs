//! Parts of a subject: sections and findings over a window of an open bundle.
//!
//! * [`Context`]: an open bundle with its computed results, which sections share;
//! * [`section`]: a section is a name, typed options and a typed answer; [`subject!`] lists those of a subject;
//! * [`findings`]: a finding, its kind in the catalogue, its places and its severity; [`detectors!`] lists those of a subject;
//! * [`window`]: what analyses of a part of a recording share;
//! * [`waits`], [`logs`], [`vmstat`]: parts of the bundle that several subjects read.

mod context;
pub mod distribution;
pub mod findings;
pub mod jiffies;
pub mod logs;
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
pub use self::window::Window;
