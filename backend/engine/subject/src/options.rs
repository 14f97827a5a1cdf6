//! The options of the sections. Their bounds are those of their schemas.

use numalens_bundle::Error;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Kernel versions that changed how pressure is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[schemars(inline)]
#[allow(missing_docs, reason = "the schema has their names alone")]
pub enum PsiRules {
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
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::V4_20 => "4.20",
            Self::V5_7 => "5.7",
            Self::V5_14 => "5.14",
            Self::V5_17 => "5.17",
            Self::V6_4 => "6.4",
        }
    }
}

/// Options of sections with a step.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// Length of a step, ns.
    #[schemars(range(min = 1))]
    pub step_ns: Option<u64>,
}

/// Entries of a list unless an option says otherwise.
pub const ENTRIES: usize = 50;
/// Entries that a list may have.
pub const MOST_ENTRIES: usize = 1000;

/// Options of sections with lists.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct List {
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub limit: usize,
}

impl Default for List {
    fn default() -> Self {
        Self { limit: ENTRIES }
    }
}

/// Steps of a window that samples are put into.
pub const STACK_COLUMNS: u64 = 480;
/// Steps that may be requested.
pub const MOST_STACK_COLUMNS: u64 = 2_000;

/// Options of `stack_marks` and `hardware`.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Columns {
    /// Steps of the window at most.
    #[schemars(range(min = 1, max = MOST_STACK_COLUMNS))]
    pub columns: u64,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            columns: STACK_COLUMNS,
        }
    }
}

/// Options of a section that has none.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Nothing {}

/// A step, if the window does not have more of them than anyone can look at.
///
/// # Errors
///
/// Fails when there would be more steps.
pub fn within(step_ns: Option<u64>, from_ns: u64, to_ns: u64) -> Result<Option<u64>, Error> {
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
#[must_use]
pub fn schema_of<T: JsonSchema>() -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    settings.into_generator().into_root_schema_for::<T>()
}

/// The options of a section out of their JSON, within the bounds of their schema.
///
/// # Errors
///
/// Fails when an option is wrong.
pub fn parse<T: DeserializeOwned + JsonSchema>(options: &str) -> Result<T, Error> {
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

/// Expected value of an option according to its schema, in words.
fn broken(property: &Value, value: &Value) -> Option<String> {
    if value.is_null() {
        return None;
    }
    if let Some(names) = property.get("enum").and_then(Value::as_array) {
        let named: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
        return (!names.contains(value)).then(|| format!("one of {}", named.join(", ")));
    }
    let is = |kind: &str| match property.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|it| it == kind),
        found => found.is_some_and(|it| it == kind),
    };
    if is("string") {
        return (!value.is_string()).then(|| "a text".to_owned());
    }
    if is("number") {
        let bound = |name: &str| property.get(name).and_then(Value::as_f64);
        let least = bound("minimum").unwrap_or(f64::MIN);
        let most = bound("maximum").unwrap_or(f64::MAX);
        let fits = value
            .as_f64()
            .is_some_and(|it| (least..=most).contains(&it));
        return (!fits).then(|| format!("{least} to {most}"));
    }
    let bound = |name: &str| property.get(name).and_then(Value::as_u64);
    let least = bound("minimum").unwrap_or(0);
    let fits = |number: u64| number >= least && bound("maximum").is_none_or(|most| number <= most);
    (!value.as_u64().is_some_and(fits)).then(|| match bound("maximum") {
        Some(most) => format!("{least} to {most}"),
        None => format!("a whole number of at least {least}"),
    })
}
