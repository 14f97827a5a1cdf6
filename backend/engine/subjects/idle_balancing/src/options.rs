//! Options of the section of idle load balancing.

use numalens_subject::options::{ENTRIES, MOST_ENTRIES};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ModelKind;

/// A version of the idle load balancer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "IlbModelName")]
pub enum Model {
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
    #[must_use]
    pub fn of(follow: ModelKind) -> Self {
        match follow {
            ModelKind::V2011 => Self::Old,
            ModelKind::V2011Patched => Self::Patched,
            ModelKind::Modern | ModelKind::TraceDriven => Self::Modern,
        }
    }
}

/// The version whose actions are shown.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[schemars(inline)]
#[allow(missing_docs, reason = "the schema has their names alone")]
pub enum Wanted {
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
    #[must_use]
    pub fn model(self) -> Option<Model> {
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
pub struct Ilb {
    /// Version to show: 2011 without or with the patch, or 5.2 and later (default: by the kernel).
    pub model: Wanted,
    /// Most entries of each list.
    #[schemars(range(min = 1, max = MOST_ENTRIES))]
    pub limit: usize,
}

impl Default for Ilb {
    fn default() -> Self {
        Self {
            model: Wanted::Auto,
            limit: ENTRIES,
        }
    }
}
