//! The sections of a report over a window of a bundle, and rows of a comparison.

mod compare_rows;
#[path = "../../../native/src/analysis/mod.rs"]
mod sections;

use numalens_bundle as bundle;
use numalens_bundle as error;

pub use self::compare_rows::compare_rows;
pub use self::sections::{
    Clung, Group, Kicks, Node, Pressure, Window, analyse, attempts, clung, found, kicks, pressure,
    pressure_samples, used,
};
