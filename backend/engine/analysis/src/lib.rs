//! The sections of a report over a window of a bundle, and rows of a comparison.

mod compare_rows;
mod sections;

use numalens_bundle as bundle;
use numalens_bundle as error;

pub use self::compare_rows::compare_rows;
pub use self::sections::{
    Clung, Group, Kicks, Node, Pressure, Stop, Window, analyse, attempts, clung, found, kicks,
    optional, pressure, pressure_samples, report, schemas, used,
};
