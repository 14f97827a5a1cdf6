//! The catalogue: the only wording of findings, causes and rows of figures. The page, its reference and comparisons read it.

use numalens_bundle::Error;
use numalens_core::catalogue::CauseEntry;
use numalens_numa_balancing::catalogue::{OPS, OpsEntry};
use numalens_off_cpu::{RunCause, SleepCause};
use numalens_replay::waits::Cause;
use numalens_subject::findings::FindingEntry;
use numalens_wakeup_placement::catalogue::{MissedBy, PlacementReason, RuleEntry, WhatIf};
use numalens_waste::WasteCause;
use schemars::JsonSchema;
use serde::Serialize;

use crate::subjects::kinds;

/// All rows, by kind.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Catalogue {
    /// Kinds of findings, by subject.
    findings: Vec<&'static FindingEntry>,
    /// Causes of waits, in the order in which they are looked for.
    wait_causes: Vec<&'static CauseEntry>,
    /// Causes of time on a CPU.
    run_causes: Vec<&'static CauseEntry>,
    /// Causes of sleeps.
    sleep_causes: Vec<&'static CauseEntry>,
    /// Causes of waste, in the order in which they are listed.
    waste_causes: Vec<&'static CauseEntry>,
    /// Reasons of placements by wakeups.
    placement_reasons: Vec<&'static RuleEntry>,
    /// Rules by which wakeups miss idle CPUs.
    missed_by: Vec<&'static RuleEntry>,
    /// Other rules for the same wakeups.
    placement_what_ifs: Vec<&'static RuleEntry>,
    /// Rows of mmtests' table, in its order.
    ops: &'static [OpsEntry],
}

/// Catalogue as JSON.
///
/// # Errors
///
/// Fails when it cannot be written as JSON, which its content never causes.
pub fn catalogue() -> Result<Vec<u8>, Error> {
    let rows = Catalogue {
        findings: kinds(),
        wait_causes: Cause::IN_ORDER.map(Cause::entry).to_vec(),
        run_causes: RunCause::IN_ORDER.map(RunCause::entry).to_vec(),
        sleep_causes: SleepCause::IN_ORDER.map(SleepCause::entry).to_vec(),
        waste_causes: WasteCause::ALL.map(WasteCause::entry).to_vec(),
        placement_reasons: PlacementReason::ALL.map(PlacementReason::entry).to_vec(),
        missed_by: MissedBy::ALL.map(MissedBy::entry).to_vec(),
        placement_what_ifs: WhatIf::ALL.map(WhatIf::entry).to_vec(),
        ops: OPS,
    };
    serde_json::to_vec(&rows).map_err(|error| Error::Bundle(error.to_string()))
}
