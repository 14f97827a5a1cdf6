//! The rows and their formulas.

use numalens_core::provenance::Label;
use numalens_subject::metrics::{Basis, Better, Metric};
use numalens_subject::vmstat::Counters;
use schemars::JsonSchema;
use serde::Serialize;

/// A row of the table, in mmtests' order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "VmstatName")]
#[serde(rename_all = "snake_case")]
pub enum Row {
    /// `numa_hit`: pages.
    AllocHit,
    /// `numa_miss`: pages.
    AllocMiss,
    /// `numa_interleave`: pages.
    InterleaveHit,
    /// `numa_local`: pages.
    AllocLocal,
    /// `numa_pte_updates`: base pages made `PROT_NONE`, a huge page counted as all of its base pages.
    BasePageRangeUpdates,
    /// Base pages without those of huge pages.
    PteUpdates,
    /// `numa_huge_pte_updates`: huge pages made `PROT_NONE`.
    PmdUpdates,
    /// `numa_hint_faults`: faults; one of a huge page counts once.
    HintFaults,
    /// `numa_hint_faults_local`: faults on a page of the faulting CPU's node, before any migration. mmtests' name for it ends
    /// with a percent sign, but it is a count.
    HintFaultsLocal,
    /// Share of local faults, percent; 100 without faults.
    HintLocalPercent,
    /// `numa_pages_migrated`: base pages.
    PagesMigrated,
    /// Cost of NUMA balancing in mmtests' model, in millions of the model's units.
    AutonumaCost,
    /// The same with the cost of copying the pages, which the model's text means to add. Not a row of mmtests.
    AutonumaCostIntended,
    /// `numa_task_migrated`: tasks moved to their preferred node (6.16 and some later kernels). Not a row of mmtests.
    TasksMigrated,
    /// `numa_task_swapped`: tasks that changed places, two for each swap. Not a row of mmtests.
    TasksSwapped,
}

/// A row and its value.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VmstatRow {
    /// Row.
    pub row: Row,
    /// mmtests' name for it; none for what mmtests has not.
    pub name: Option<&'static str>,
    /// Value; `None` when a counter was not sampled.
    pub value: Option<f64>,
}

/// The table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VmstatTable {
    /// The rows, in order.
    pub rows: Vec<VmstatRow>,
    /// Provenance: differences of samples.
    pub label: Label,
    /// Counters that were not read, or went back.
    pub missing: Vec<String>,
}

impl VmstatTable {
    /// The value of a row.
    #[must_use]
    pub fn get(&self, row: Row) -> Option<f64> {
        self.rows.iter().find(|line| line.row == row)?.value
    }
}

/// A row's name in mmtests.
fn name(row: Row) -> Option<&'static str> {
    Some(match row {
        Row::AllocHit => "NUMA alloc hit",
        Row::AllocMiss => "NUMA alloc miss",
        Row::InterleaveHit => "NUMA interleave hit",
        Row::AllocLocal => "NUMA alloc local",
        Row::BasePageRangeUpdates => "NUMA base-page range updates",
        Row::PteUpdates => "NUMA PTE updates",
        Row::PmdUpdates => "NUMA PMD updates",
        Row::HintFaults => "NUMA hint faults",
        Row::HintFaultsLocal => "NUMA hint local faults %",
        Row::HintLocalPercent => "NUMA hint local percent",
        Row::PagesMigrated => "NUMA pages migrated",
        Row::AutonumaCost => "AutoNUMA cost",
        Row::AutonumaCostIntended | Row::TasksMigrated | Row::TasksSwapped => return None,
    })
}

/// The table of differences, see [`deltas`](numalens_subject::vmstat::deltas).
#[must_use]
pub fn table(deltas: &Counters) -> VmstatTable {
    let mut missing = Vec::new();
    let mut read = |name: &str| {
        let value = deltas.get(name).copied().map(i128::from);
        if value.is_none() {
            missing.push(name.to_owned());
        }
        value
    };
    let hit = read("numa_hit");
    let miss = read("numa_miss");
    let interleave = read("numa_interleave");
    let local = read("numa_local");
    let updates = read("numa_pte_updates");
    let huge = read("numa_huge_pte_updates");
    let faults = read("numa_hint_faults");
    let faults_local = read("numa_hint_faults_local");
    let migrated = read("numa_pages_migrated");

    let whole = |value: Option<i128>| value.map(|value| value as f64);
    let ptes = || Some(updates? - i128::from(PAGES_PER_HUGE) * huge?);
    let percent = || {
        let (local, faults) = (faults_local?, faults?);
        Some(if faults == 0 {
            100.0
        } else {
            local as f64 * 100.0 / faults as f64
        })
    };
    let cost = |page: i64| {
        let sum = i128::from(COST_UPDATE) * updates?
            + i128::from(COST_FAULT) * faults?
            + i128::from(page) * migrated?;
        Some(sum as f64 / COST_UNIT)
    };
    let rows = [
        (Row::AllocHit, whole(hit)),
        (Row::AllocMiss, whole(miss)),
        (Row::InterleaveHit, whole(interleave)),
        (Row::AllocLocal, whole(local)),
        (Row::BasePageRangeUpdates, whole(updates)),
        (Row::PteUpdates, whole(ptes())),
        (Row::PmdUpdates, whole(huge)),
        (Row::HintFaults, whole(faults)),
        (Row::HintFaultsLocal, whole(faults_local)),
        (Row::HintLocalPercent, percent()),
        (Row::PagesMigrated, whole(migrated)),
        (Row::AutonumaCost, cost(COST_MIGRATED)),
        (
            Row::AutonumaCostIntended,
            cost(COST_MIGRATED.saturating_add(COST_COPY)),
        ),
    ];
    // Few kernels count these: nothing is missing without them.
    let tasks = [
        (Row::TasksMigrated, TASK_MIGRATED),
        (Row::TasksSwapped, TASK_SWAPPED),
    ];
    let tasks = tasks.into_iter().filter_map(|(row, name)| {
        let value = deltas.get(name)?;
        Some((row, Some(*value as f64)))
    });
    VmstatTable {
        rows: rows
            .into_iter()
            .chain(tasks)
            .map(|(row, value)| VmstatRow {
                row,
                name: name(row),
                value,
            })
            .collect(),
        label: if missing.is_empty() {
            Label::Replayed
        } else {
            Label::Inferred
        },
        missing,
    }
}

/// Counter of moves (`migrate_task_to`).
pub const TASK_MIGRATED: &str = "numa_task_migrated";
/// Counter of both tasks of each swap (`__migrate_swap_task`).
pub const TASK_SWAPPED: &str = "numa_task_swapped";

/// Base pages that `change_prot_numa` counts for one huge page: 2 MiB of 4 KiB pages, as on x86.
pub const PAGES_PER_HUGE: i64 = 512;

/// Cost of an updated PTE in the model of mmtests: a `struct page` of 56 bytes, in words of 8.
pub const COST_UPDATE: i64 = 7;
/// Cost of a hint fault in the model.
pub const COST_FAULT: i64 = 5000;
/// Cost of a migrated page that the model really adds: one update and 12 more.
pub const COST_MIGRATED: i64 = 19;
/// Cost of copying a page (`Cpagerw`), which the model meant to add for each migrated page and does not: a stray `;` ends
/// the sum before it. The columns that mmtests published are those without it.
pub const COST_COPY: i64 = 519;
/// The model's sums are given in millions.
pub const COST_UNIT: f64 = 1e6;

/// Unit and better direction of a row.
fn unit(row: Row) -> (&'static str, Better) {
    match row {
        Row::HintLocalPercent => ("%", Better::Higher),
        Row::AutonumaCost => ("cost", Better::Lower),
        Row::AutonumaCostIntended => ("cost", Better::Neither),
        Row::AllocHit | Row::InterleaveHit | Row::AllocLocal | Row::HintFaultsLocal => {
            ("", Better::Neither)
        }
        _ => ("", Better::Lower),
    }
}

impl VmstatRow {
    /// The row as a figure for comparisons.
    pub(crate) fn metric(&self, basis: &Basis) -> Metric {
        let id = serde_json::to_value(self.row).unwrap_or_default();
        let id = id.as_str().unwrap_or_default();
        let title = self
            .name
            .map_or_else(|| id.replace('_', " "), str::to_owned);
        let (unit, better) = unit(self.row);
        let value = self.value.ok_or("its counter was not read, or went back");
        let value = value.map_err(str::to_owned).and_then(|value| {
            if self.row == Row::HintLocalPercent {
                basis.number(value)
            } else {
                basis.count(value)
            }
        });
        Metric::new(format!("vmstat_{id}"), title, value).of(unit, better)
    }
}
