//! Figures of a window by which recordings are compared: typed, with unit, better direction and provenance.

use std::borrow::Cow;

use numalens_bundle::Error;
use numalens_core::provenance::Label;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::section::Answer;
use crate::{Context, Stop, Window, section};

/// Better direction of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// Throughput, locality: a positive percent is more.
    Higher,
    /// Times, failures: a positive percent is less.
    Lower,
    /// No better direction: a positive percent is more.
    #[default]
    Neither,
}

impl Better {
    /// The direction by its name in a catalogue.
    #[must_use]
    pub fn named(name: &str) -> Self {
        match name {
            "higher" => Self::Higher,
            "lower" => Self::Lower,
            _ => Self::Neither,
        }
    }
}

/// Measured values of one run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// By window, or one value of the whole run; a value that is not known is left out.
    pub values: Vec<f64>,
    /// For counts: the seconds of each value. Rates are then compared.
    #[serde(default)]
    pub seconds: Option<f64>,
    /// If true, the values are parts of one: they are added up first.
    #[serde(default)]
    pub add: bool,
}

/// Values of one run, with their provenance.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reading {
    /// The values.
    pub run: Run,
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
}

/// A figure of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Metric {
    /// Name in comparisons and thresholds.
    pub name: Cow<'static, str>,
    /// Title.
    pub title: Cow<'static, str>,
    /// Unit; empty for a plain number.
    pub unit: Cow<'static, str>,
    /// Better direction.
    pub better: Better,
    /// Values, or the reason for which there are none.
    pub value: Result<Reading, String>,
}

impl Metric {
    /// A figure without unit and better direction.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        value: Result<Reading, String>,
    ) -> Self {
        Self {
            name: name.into(),
            title: title.into(),
            unit: "".into(),
            better: Better::Neither,
            value,
        }
    }

    /// Sets unit and better direction.
    #[must_use]
    pub fn of(mut self, unit: impl Into<Cow<'static, str>>, better: Better) -> Self {
        (self.unit, self.better) = (unit.into(), better);
        self
    }
}

/// Figures of one section for one table of a comparison.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Metrics {
    /// Name of the table.
    pub table: Cow<'static, str>,
    /// The figures, or the reason for which the section has no content.
    pub rows: Result<Vec<Metric>, String>,
    /// Value of a figure that only other runs have.
    pub otherwise: Result<Reading, Cow<'static, str>>,
    /// True if figures that are 0 in all runs are left out.
    pub above_0: bool,
}

impl Metrics {
    /// Sets the reason for which a run lacks a figure that others have.
    #[must_use]
    pub fn otherwise(mut self, reason: &'static str) -> Self {
        self.otherwise = Err(reason.into());
        self
    }
}

/// Figures of a subject in a window with steps of `step_ns`, in the order of the tables.
pub type Measure = fn(&Context, (u64, u64), u64) -> Result<Vec<Metrics>, Error>;

/// Provenance of figures, and the length of their window.
#[derive(Debug, Clone)]
pub struct Basis {
    /// Provenance.
    pub label: Label,
    /// Inputs that would improve the provenance.
    pub missing: Vec<String>,
    /// Length, s; counts are compared per second.
    pub seconds: f64,
}

impl Basis {
    /// The basis of figures with this provenance.
    pub fn new(label: Label, missing: &[impl ToString], seconds: f64) -> Self {
        Self {
            label,
            missing: missing.iter().map(ToString::to_string).collect(),
            seconds,
        }
    }

    fn reading(&self, values: Vec<f64>, seconds: Option<f64>, add: bool) -> Reading {
        let seconds = seconds.map(|seconds| if seconds > 0.0 { seconds } else { 1.0 });
        Reading {
            run: Run {
                values,
                seconds,
                add,
            },
            label: self.label,
            missing: self.missing.clone(),
        }
    }

    /// Returns why a value is not known.
    fn unknown(&self) -> String {
        match &self.missing[..] {
            [] => "not known here".to_owned(),
            missing => format!("not known without {}", missing.join(", ")),
        }
    }

    /// A count of the window.
    ///
    /// # Errors
    ///
    /// Fails with the reason for which it is not known.
    pub fn count(&self, value: impl Into<Option<f64>>) -> Result<Reading, String> {
        let value = value.into().ok_or_else(|| self.unknown())?;
        Ok(self.reading(vec![value], Some(self.seconds), false))
    }

    /// A number other than a count.
    ///
    /// # Errors
    ///
    /// Fails with the reason for which it is not known.
    pub fn number(&self, value: impl Into<Option<f64>>) -> Result<Reading, String> {
        let value = value.into().ok_or_else(|| self.unknown())?;
        Ok(self.reading(vec![value], None, false))
    }

    /// A count of the window that is the sum of these parts.
    #[must_use]
    pub fn sum(&self, parts: impl Iterator<Item = f64>) -> Reading {
        self.reading(parts.collect(), Some(self.seconds), true)
    }

    /// Counts of steps of this length.
    #[must_use]
    pub fn counts(&self, values: impl Iterator<Item = f64>, step_ns: u64) -> Reading {
        self.reading(values.collect(), Some(seconds(step_ns)), false)
    }

    /// Numbers of steps, other than counts.
    #[must_use]
    pub fn numbers(&self, values: impl Iterator<Item = f64>) -> Reading {
        self.reading(values.collect(), None, false)
    }
}

/// ns as seconds.
#[must_use]
pub fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// ns as ms.
#[must_use]
pub fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// Figures of a section for a table: those that `rows` takes from its content and the length of its window, s.
#[must_use]
pub fn figures<T>(
    table: &'static str,
    found: &Result<(T, f64), String>,
    rows: impl FnOnce(&T, f64) -> Vec<Metric>,
) -> Metrics {
    let rows = found
        .as_ref()
        .map(|(content, seconds)| rows(content, *seconds));
    Metrics {
        table: table.into(),
        rows: rows.map_err(Clone::clone),
        otherwise: Err("not known here".into()),
        above_0: false,
    }
}

/// Content of a section and the length of its window, s; or the reason for which it has none.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn content<'a, O, T>(
    section: impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>,
    open: &'a Context,
    window: (u64, u64),
    options: O,
    samples: bool,
) -> Result<Result<(T, f64), String>, Error> {
    let answer = section::answer(section, open, window, options, samples)?;
    Ok(match answer {
        Answer::Content(content) => {
            let length_ns = content.length_ns();
            Ok((content.section, seconds(length_ns)))
        }
        Answer::Unavailable(missing) => Err(missing.reason),
    })
}
