//! Sections about pressure.

pub mod blocked;
pub mod found;
pub mod psi;
pub mod sampled;

use numalens_subject::subject;

use crate::findings;
use crate::options::PressureSeries;
use crate::report::ReportPressure;

subject! {
    kinds: findings::KINDS, metrics: psi::metrics;
    "psi", psi::psi, false, Some(
        "Pressure: replayed totals and averages, the kernel's own samples next to them, and the residual.\n\nDefault window: the time for which all CPUs have events. A series has at most 2,001 points. 409 until the \
         analysis is ready."
    ), report(|it| PressureSeries {
        psi_rules: it.psi_rules,
        hz: it.hz,
        points: None,
    }, ReportPressure::new);
    "sampled", sampled::sampled, false, None;
}
