//! The options of the sections. Their bounds are those of their schemas.

use numalens_bundle::Error;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::idle_balancing::ModelKind;

/// Kernel versions that changed how pressure is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) enum PsiRules {
    #[serde(rename = "4.20")]
    V4_20,
    #[serde(rename = "5.7")]
    V5_7,
    #[serde(rename = "5.14")]
    V5_14,
    #[serde(rename = "5.17")]
    V5_17,
    #[serde(rename = "6.4")]
    V6_4,
}

impl PsiRules {
    /// The version.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V4_20 => "4.20",
            Self::V5_7 => "5.7",
            Self::V5_14 => "5.14",
            Self::V5_17 => "5.17",
            Self::V6_4 => "6.4",
        }
    }
}

/// Options of `findings`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Pressure {
    /// Rules of this kernel version in place of those of the traced kernel.
    pub(super) psi_rules: Option<PsiRules>,
    /// Jiffies per second in place of what the recording tells.
    #[schemars(range(min = 1, max = 10_000))]
    pub(super) hz: Option<u32>,
}

/// Options of `psi`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PressureSeries {
    /// Rules of this kernel version in place of those of the traced kernel.
    pub(super) psi_rules: Option<PsiRules>,
    /// Jiffies per second in place of what the recording tells.
    #[schemars(range(min = 1, max = 10_000))]
    pub(super) hz: Option<u32>,
    /// Most points of a series, and one; all unless given.
    #[schemars(range(min = 1))]
    pub(super) points: Option<usize>,
}

/// Options of sections with a step.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Step {
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub(super) step_ns: Option<u64>,
}

/// Entries of a list unless an option says otherwise.
const ENTRIES: usize = 50;
/// Entries that a list may have.
const MOST_ENTRIES: usize = 1000;

/// Options of sections with lists.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct List {
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub(super) limit: usize,
}

impl Default for List {
    fn default() -> Self {
        Self { limit: ENTRIES }
    }
}

/// Columns that a map of waits may have.
const MOST_COLUMNS: u64 = 240;

/// Options of `wait_heat`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Heat {
    /// Columns at most.
    #[schemars(range(min = 1, max = MOST_COLUMNS))]
    pub(super) columns: u64,
}

impl Default for Heat {
    fn default() -> Self {
        Self {
            columns: MOST_COLUMNS,
        }
    }
}

/// How waits began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(super) enum WaitKind {
    Wakeups,
    Preempted,
}

/// Options of `waits`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WaitList {
    /// Waits that began with a wake-up or with a preemption.
    pub(super) kind: WaitKind,
    /// Waits of at least this length, ns.
    pub(super) least_ns: u64,
    /// Waits of less than this length, ns.
    pub(super) below_ns: Option<u64>,
    /// Waits that end from here on, ns of the trace's clock.
    pub(super) ended_from_ns: u64,
    /// Waits that end before this moment, ns of the trace's clock.
    pub(super) ended_to_ns: Option<u64>,
    /// Most entries of the list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub(super) limit: usize,
}

impl Default for WaitList {
    fn default() -> Self {
        Self {
            kind: WaitKind::Wakeups,
            least_ns: 0,
            below_ns: None,
            ended_from_ns: 0,
            ended_to_ns: None,
            limit: ENTRIES,
        }
    }
}

/// Options of `wait`: with its window, which wait.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OneWait {
    /// Who waited.
    #[schemars(range(min = 0))]
    pub(super) pid: Option<i32>,
    /// Where it got its CPU.
    pub(super) cpu: Option<u32>,
}

/// Options of `critical_path`: with the begin of its window, whose and when.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OnePath {
    /// Which task.
    #[schemars(range(min = 0))]
    pub(super) pid: Option<i32>,
}

/// Nodes of a tree of stacks that are given, and that may be requested.
const NODES: usize = 10_000;
const MOST_NODES: usize = 50_000;
/// Steps of a window that samples are put into.
const STACK_COLUMNS: u64 = 480;
const MOST_STACK_COLUMNS: u64 = 2_000;

/// Options of `stacks`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StackOptions {
    /// Samples of this thread; of all unless given.
    #[schemars(range(min = 0))]
    pub(super) pid: Option<i32>,
    /// Samples of this CPU; of all unless given.
    pub(super) cpu: Option<u32>,
    /// Samples of this event, a place in the list of events; of all unless given.
    pub(super) event: Option<u32>,
    /// Callsites at most.
    #[schemars(range(min = 1, max = MOST_NODES))]
    pub(super) nodes: usize,
    /// Functions at most, besides those that callsites name.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub(super) limit: usize,
    /// Steps of the window at most.
    #[schemars(range(min = 1, max = MOST_STACK_COLUMNS))]
    pub(super) columns: u64,
}

impl Default for StackOptions {
    fn default() -> Self {
        Self {
            pid: None,
            cpu: None,
            event: None,
            nodes: NODES,
            limit: MOST_ENTRIES,
            columns: STACK_COLUMNS,
        }
    }
}

/// Options of `stack_marks` and `hardware`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Columns {
    /// Steps of the window at most.
    #[schemars(range(min = 1, max = MOST_STACK_COLUMNS))]
    pub(super) columns: u64,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            columns: STACK_COLUMNS,
        }
    }
}

/// Options of `task`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct OneTask {
    /// Which task.
    #[schemars(range(min = 0))]
    pub(super) pid: Option<i32>,
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub(super) limit: usize,
}

impl Default for OneTask {
    fn default() -> Self {
        Self {
            pid: None,
            limit: ENTRIES,
        }
    }
}

/// What makes tasks a numa group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Grouped {
    #[default]
    Recorded,
    Cgroup,
}

/// Decisions that are listed unless an option says otherwise.
const MOST_DECISIONS: usize = 1 << 14;

/// Options of `cling`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Cling {
    /// What if cling's degree had been this, percent.
    #[schemars(range(min = 0, max = 100))]
    pub(super) degree: Option<u32>,
    /// What makes tasks a numa group: what was recorded, or as if each cgroup had been given one.
    pub(super) groups: Grouped,
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub(super) limit: usize,
    /// Most decisions.
    #[schemars(range(min = 1, max = MOST_DECISIONS))]
    pub(super) decisions: usize,
    /// About the most points of a group's series; all unless given.
    #[schemars(range(min = 1))]
    pub(super) points: Option<usize>,
}

impl Default for Cling {
    fn default() -> Self {
        Self {
            degree: None,
            groups: Grouped::Recorded,
            limit: ENTRIES,
            decisions: MOST_DECISIONS,
            points: None,
        }
    }
}

/// Options of `migration`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Migration {
    /// How long a task must stay for its pages to be worth the way, ns; 1 s unless given.
    #[schemars(range(min = 1))]
    pub(super) amortisation_ns: Option<u64>,
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub(super) step_ns: Option<u64>,
    /// Migration interval of the what-if, s; 30 unless given.
    #[schemars(range(min = 5, max = 300))]
    pub(super) interval_s: Option<u64>,
}

/// Options of `placement`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Placement {
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub(super) step_ns: Option<u64>,
    /// Most numa groups that get rows of their own; the others share one.
    #[schemars(range(min = 1, max = 64))]
    pub(super) limit: usize,
}

impl Default for Placement {
    fn default() -> Self {
        Self {
            step_ns: None,
            limit: 12,
        }
    }
}

/// A version of the idle load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IlbModelName")]
pub(crate) enum Model {
    /// Before 3.13.
    #[serde(rename = "2011")]
    Old,
    /// The same with the patch that hands a kick on.
    #[serde(rename = "2011-patched")]
    Patched,
    /// From 5.2 on.
    #[serde(rename = "modern")]
    Modern,
}

impl Model {
    /// The model that runs so.
    pub(super) fn of(follow: ModelKind) -> Self {
        match follow {
            ModelKind::V2011 => Self::Old,
            ModelKind::V2011Patched => Self::Patched,
            ModelKind::Modern | ModelKind::TraceDriven => Self::Modern,
        }
    }
}

/// The version whose doings are shown.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) enum Wanted {
    #[default]
    #[serde(rename = "auto")]
    Auto,
    #[serde(rename = "2011")]
    Old,
    #[serde(rename = "2011-patched")]
    Patched,
    #[serde(rename = "modern")]
    Modern,
}

impl Wanted {
    /// The model that is requested; `None` leaves it to the kernel's version.
    pub(super) fn model(self) -> Option<Model> {
        match self {
            Self::Auto => None,
            Self::Old => Some(Model::Old),
            Self::Patched => Some(Model::Patched),
            Self::Modern => Some(Model::Modern),
        }
    }
}

/// Options of `ilb`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Ilb {
    /// The version that is shown: 2011 without or with the patch, or 5.2 and later; by the kernel unless given.
    pub(super) model: Wanted,
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub(super) limit: usize,
}

impl Default for Ilb {
    fn default() -> Self {
        Self {
            model: Wanted::Auto,
            limit: ENTRIES,
        }
    }
}

/// Options of a section that has none.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Nothing {}

/// A step, if the window does not have more of them than anyone can look at.
pub(super) fn within(step_ns: Option<u64>, from_ns: u64, to_ns: u64) -> Result<Option<u64>, Error> {
    const MOST: u64 = 1 << 16;
    let Some(step) = step_ns else {
        return Ok(None);
    };
    let steps = (to_ns - from_ns).div_ceil(step);
    if steps > MOST {
        return Err(Error::Option(format!(
            "step_ns: expected at most {MOST} steps in the window, found {steps}"
        )));
    }
    Ok(Some(step))
}

/// The schema of options, without references.
pub(super) fn schema_of<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The options of a section out of their JSON, within the bounds of their schema.
pub(super) fn parse<T: DeserializeOwned + JsonSchema>(options: &str) -> Result<T, Error> {
    let wrong = |error: serde_json::Error| Error::Option(error.to_string());
    let given: Value = serde_json::from_str(options).map_err(wrong)?;
    let schema = schema_of::<T>();
    for (name, value) in given.as_object().into_iter().flatten() {
        let property = schema.pointer(&format!("/properties/{name}"));
        if let Some(expected) = property.and_then(|property| broken(property, value)) {
            let found = value.to_string();
            return Err(Error::Option(format!(
                "{name}: expected {expected}, found {found}"
            )));
        }
    }
    serde_json::from_value(given).map_err(wrong)
}

/// What the schema of an option expects in place of the value, in words.
fn broken(property: &Value, value: &Value) -> Option<String> {
    if value.is_null() {
        return None;
    }
    if let Some(names) = property.get("enum").and_then(Value::as_array) {
        let named: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        return (!names.contains(value)).then(|| format!("one of {}", named.join(", ")));
    }
    let bound = |name: &str| property.get(name).and_then(Value::as_u64);
    let least = bound("minimum").unwrap_or(0);
    let fits = |number: u64| number >= least && bound("maximum").is_none_or(|most| number <= most);
    (!value.as_u64().is_some_and(fits)).then(|| match bound("maximum") {
        Some(most) => format!("{least} to {most}"),
        None => format!("a whole number of at least {least}"),
    })
}
