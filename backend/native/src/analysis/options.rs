//! The options of the sections.

use numalens_engine::ilb::Follow;
use numalens_engine::psi::Rules;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Options of `psi` and `findings`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pressure {
    /// Whose rules: the first kernel version that has them.
    pub(super) rules: Option<String>,
    /// Jiffies per second.
    pub(super) hz: Option<u32>,
}

/// Options of sections with a step.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Step {
    pub(super) step_ns: Option<u64>,
}

/// Options of sections with lists.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct List {
    /// Entries of each list.
    pub(super) limit: Option<u64>,
}

/// Options of `wait_heat`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Heat {
    /// Columns at most.
    columns: Option<u64>,
}

impl Heat {
    /// Columns that a map may have.
    const MOST: u64 = 240;

    /// Columns at most.
    pub(super) fn columns(&self) -> u64 {
        self.columns.unwrap_or(Self::MOST)
    }
}

impl Checked for Heat {
    fn check(&self) -> Result<(), String> {
        match self.columns {
            Some(columns) if !(1..=Self::MOST).contains(&columns) => Err(format!(
                "columns: expected 1 to {}, found {columns}",
                Self::MOST
            )),
            _ => Ok(()),
        }
    }
}

/// Options of `waits`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Listed {
    /// `wakeups` or `preempted`.
    kind: Option<String>,
    /// Waits of at least this length, ns,
    pub(super) least_ns: Option<u64>,
    /// and of less than this.
    pub(super) below_ns: Option<u64>,
    /// Waits that end from here on,
    pub(super) ended_from_ns: Option<u64>,
    /// and before this.
    pub(super) ended_to_ns: Option<u64>,
    /// Entries of the list.
    limit: Option<u64>,
}

impl Listed {
    /// Whether waits after a preemption are asked for, and no wake-ups.
    pub(super) fn preempted(&self) -> bool {
        self.kind.as_deref() == Some("preempted")
    }

    /// Entries of the list.
    pub(super) fn entries(&self) -> usize {
        List { limit: self.limit }.entries()
    }
}

impl Checked for Listed {
    fn check(&self) -> Result<(), String> {
        if let Some(kind) = self.kind.as_deref()
            && !["wakeups", "preempted"].contains(&kind)
        {
            return Err(format!(
                "kind: expected wakeups or preempted, found {kind:?}"
            ));
        }
        List { limit: self.limit }.check()
    }
}

/// Options of `wait`: with its window, which wait.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OneWait {
    /// Who waited.
    pub(super) pid: Option<i32>,
    /// Where it got its CPU.
    pub(super) cpu: Option<u32>,
}

impl Checked for OneWait {}

/// Options of `cling`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Clung {
    /// What if the degree were this, percent.
    pub(super) degree: Option<u32>,
    /// What makes tasks a group: `recorded` or `cgroup`.
    groups: Option<String>,
    /// Entries of each list.
    limit: Option<u64>,
}

impl Clung {
    /// Whether each cgroup is to be a group.
    pub(super) fn by_cgroup(&self) -> bool {
        self.groups.as_deref() == Some("cgroup")
    }

    /// Entries of each list.
    pub(super) fn entries(&self) -> usize {
        List { limit: self.limit }.entries()
    }
}

impl Checked for Clung {
    fn check(&self) -> Result<(), String> {
        const MOST: u32 = 100;
        if let Some(degree) = self.degree.filter(|degree| *degree > MOST) {
            return Err(format!("degree: expected 0 to {MOST}, found {degree}"));
        }
        if let Some(groups) = self.groups.as_deref()
            && !["recorded", "cgroup"].contains(&groups)
        {
            return Err(format!(
                "groups: expected recorded or cgroup, found {groups:?}"
            ));
        }
        List { limit: self.limit }.check()
    }
}

/// Options of `migration`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Migrated {
    /// How long a task must stay for its pages to be worth the way.
    pub(super) amortisation_ns: Option<u64>,
    step_ns: Option<u64>,
    /// The what-if's migration interval.
    pub(super) interval_s: Option<u64>,
}

/// Options of `placement`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Placed {
    step_ns: Option<u64>,
    /// Groups that get rows of their own.
    limit: Option<u64>,
}

impl Placed {
    /// See [`Step`].
    pub(super) fn step(&self) -> Step {
        Step {
            step_ns: self.step_ns,
        }
    }

    /// Groups that get rows of their own.
    pub(super) fn groups(&self) -> usize {
        const USUAL: u64 = 12;
        self.limit.unwrap_or(USUAL) as usize
    }
}

impl Checked for Placed {
    fn check(&self) -> Result<(), String> {
        const MOST: u64 = 64;
        if let Some(limit) = self.limit.filter(|limit| !(1..=MOST).contains(limit)) {
            return Err(format!("limit: expected 1 to {MOST}, found {limit}"));
        }
        self.step().check()
    }
}

/// Options of `ilb`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Balanced {
    /// Whose doings are told; by the kernel's version for `auto` and when it is not given.
    model: Option<String>,
    /// Entries of each list.
    limit: Option<u64>,
}

/// A version of the idle load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) enum Model {
    #[serde(rename = "2011")]
    Old,
    #[serde(rename = "2011-patched")]
    Patched,
    #[serde(rename = "modern")]
    Modern,
}

impl Model {
    /// The model that runs so.
    pub(super) fn of(follow: Follow) -> Self {
        match follow {
            Follow::Before => Self::Old,
            Follow::Patched => Self::Patched,
            Follow::Modern | Follow::Guided => Self::Modern,
        }
    }
}

impl Balanced {
    /// The model that is asked for; `None` leaves it to the kernel's version.
    pub(super) fn model(&self) -> Option<Model> {
        match self.model.as_deref() {
            Some("2011") => Some(Model::Old),
            Some("2011-patched") => Some(Model::Patched),
            Some("modern") => Some(Model::Modern),
            _ => None,
        }
    }

    /// Entries of each list.
    pub(super) fn entries(&self) -> usize {
        List { limit: self.limit }.entries()
    }
}

impl Checked for Balanced {
    fn check(&self) -> Result<(), String> {
        const MODELS: [&str; 4] = ["auto", "2011", "2011-patched", "modern"];
        if let Some(model) = self.model.as_deref()
            && !MODELS.contains(&model)
        {
            return Err(format!(
                "model: expected one of {}, found {model:?}",
                MODELS.join(", ")
            ));
        }
        List { limit: self.limit }.check()
    }
}

/// Options of a section that has none.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Nothing {}

/// Options that can be wrong in themselves.
pub(super) trait Checked: DeserializeOwned {
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

impl Checked for Pressure {
    fn check(&self) -> Result<(), String> {
        const MOST_HZ: u32 = 10_000;
        if let Some(hz) = self.hz.filter(|hz| !(1..=MOST_HZ).contains(hz)) {
            return Err(format!("hz: expected 1 to {MOST_HZ}, found {hz}"));
        }
        match &self.rules {
            Some(name) if Rules::named(name).is_none() => Err(format!(
                "rules: expected a kernel version whose rules are known (4.20, 5.7, 5.14, 5.17, 6.4), found \"{name}\""
            )),
            _ => Ok(()),
        }
    }
}

impl Checked for Step {
    fn check(&self) -> Result<(), String> {
        match self.step_ns {
            Some(0) => Err("step_ns: expected at least 1, found 0".to_owned()),
            _ => Ok(()),
        }
    }
}

impl Step {
    /// The step, if the window does not have more of them than anyone can look at.
    pub(super) fn within(&self, from_ns: u64, to_ns: u64) -> Result<Option<u64>, Error> {
        const MOST: u64 = 1 << 16;
        let Some(step) = self.step_ns else {
            return Ok(None);
        };
        let steps = (to_ns - from_ns).div_ceil(step);
        if steps > MOST {
            return Err(Error::Wrong(format!(
                "step_ns: expected at most {MOST} steps in the window, found {steps}"
            )));
        }
        Ok(Some(step))
    }
}

impl Checked for List {
    fn check(&self) -> Result<(), String> {
        match self.limit {
            Some(limit) if !(1..=MOST_ENTRIES).contains(&limit) => Err(format!(
                "limit: expected 1 to {MOST_ENTRIES}, found {limit}"
            )),
            _ => Ok(()),
        }
    }
}

/// Entries that a list may have.
const MOST_ENTRIES: u64 = 1000;

impl List {
    /// Entries of each list.
    pub(super) fn entries(&self) -> usize {
        const USUAL: u64 = 50;
        self.limit.unwrap_or(USUAL) as usize
    }
}

impl Migrated {
    /// See [`Step`].
    pub(super) fn step(&self) -> Step {
        Step {
            step_ns: self.step_ns,
        }
    }
}

impl Checked for Migrated {
    fn check(&self) -> Result<(), String> {
        self.step().check()
    }
}

impl Checked for Nothing {}

/// The options of a section out of their JSON.
pub(super) fn parse<T: Checked>(section: &str, options: &str) -> Result<T, Error> {
    let wrong = |why: String| Error::Wrong(format!("the options of {section}: {why}"));
    let parsed: T = serde_json::from_str(options).map_err(|error| wrong(error.to_string()))?;
    parsed.check().map_err(wrong)?;
    Ok(parsed)
}

/// Only looks whether the options of a section are right.
pub(super) fn check(section: &str, options: &str) -> Result<(), Error> {
    match section {
        "psi" | "findings" => parse::<Pressure>(section, options).map(drop),
        "utilisation" | "waste" | "wait_windows" => parse::<Step>(section, options).map(drop),
        "wait_heat" => parse::<Heat>(section, options).map(drop),
        "waits" => parse::<Listed>(section, options).map(drop),
        "wait" => parse::<OneWait>(section, options).map(drop),
        "cling" => parse::<Clung>(section, options).map(drop),
        "migration" => parse::<Migrated>(section, options).map(drop),
        "placement" => parse::<Placed>(section, options).map(drop),
        "ilb" => parse::<Balanced>(section, options).map(drop),
        "residency" | "latency" | "balancing" => parse::<List>(section, options).map(drop),
        _ => parse::<Nothing>(section, options).map(drop),
    }
}
