//! Parts of a subject in the report: its sections, with their options and shapes.

use numalens_bundle::Error;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::options::PsiRules;
use crate::section::{Answer, Stop, answer, bounded};
use crate::{Context, Window};

/// Options of a report besides its window. Missing options are taken from the recording.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Cling's degree, percent.
    #[schemars(range(min = 0, max = 100))]
    pub degree: Option<u32>,
    /// Pressure by the rules of another kernel version.
    pub psi_rules: Option<PsiRules>,
    /// Jiffies per second.
    #[schemars(range(min = 1, max = 10_000))]
    pub hz: Option<u32>,
    /// Step of the utilisation table, ns.
    #[schemars(range(min = 1))]
    pub step_ns: Option<u64>,
}

/// A bundle, a window and the report's options.
pub struct Request<'a> {
    /// The bundle.
    pub open: &'a Context,
    /// The window, ns.
    pub window: (u64, u64),
    /// Requested options.
    pub options: Options,
}

/// A section of the report.
pub struct Part {
    /// Name of the section.
    pub name: &'static str,
    /// Description for the service; `None` for a part that the service does not have.
    pub about: Option<&'static str>,
    /// Writes the section as JSON, up to a limit in bytes.
    pub write: fn(&Request<'_>, usize) -> Result<Vec<u8>, Error>,
    /// Describes its shape.
    pub describe: fn(&mut SchemaGenerator) -> Schema,
}

/// The JSON of a section in the shape that the report gives it; one that would be too long says so instead.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn part<'a, O, T, R: Serialize>(
    (name, section): (&str, impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>),
    request: &Request<'a>,
    options: impl FnOnce(&Options) -> O,
    samples: bool,
    shape: impl Fn(Answer<T>, &Request<'a>) -> Result<R, Error>,
    most: usize,
) -> Result<Vec<u8>, Error> {
    let (open, window) = (request.open, request.window);
    let found = answer(section, open, window, options(&request.options), samples)?;
    bounded(name, found, |found| shape(found, request), most)
}

/// Schema of the shape that the report gives a section.
pub fn described_part<'a, O, T, R: JsonSchema>(
    _: impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>,
    _: impl Fn(Answer<T>, &Request<'a>) -> Result<R, Error>,
    generator: &mut SchemaGenerator,
) -> Schema {
    generator.subschema_for::<R>()
}

/// The default options of a section.
#[must_use]
pub fn usual<O: Default>(_: &Options) -> O {
    O::default()
}

/// A section in the shape that the service gives it.
///
/// # Errors
///
/// Never fails; other shapes can.
#[allow(clippy::unnecessary_wraps, reason = "other shapes can fail")]
pub fn as_is<T>(answer: Answer<T>, _: &Request<'_>) -> Result<Answer<T>, Error> {
    Ok(answer)
}
