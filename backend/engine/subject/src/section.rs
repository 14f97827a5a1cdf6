//! Definition of a section: a name, typed options, a typed answer, and the JSON schemas of both.

use std::collections::{BTreeMap, BTreeSet};

use numalens_bundle::{Error, Open};
pub use numalens_bundle::{Parts, at, integers, lost_events, samples, texts};
use numalens_core::EngineError;
use numalens_core::json::{Available, Moment, Unavailable, is_for_browser};
use numalens_core::tasks::TaskId;
use numalens_replay::evidence::Evidence;
use numalens_replay::states::Groups;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::options::{parse, schema_of};
use crate::window::Names;
use crate::{Context, Window};

/// Reason for missing content.
#[derive(Debug)]
pub enum Stop {
    /// An input is missing: one sentence.
    Unavailable(String),
    /// The question is wrong, or the bundle is.
    Failed(Error),
}

impl Stop {
    /// An input is missing.
    pub fn unavailable(reason: impl Into<String>) -> Self {
        Self::Unavailable(reason.into())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Self::Failed(error.into())
    }
}

/// Returns the result, or `None` if an input is missing.
///
/// # Errors
///
/// Fails when it was not a missing input that stopped the search.
pub fn optional<T>(found: Result<T, Stop>) -> Result<Option<T>, Error> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Stop::Unavailable(_)) => Ok(None),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// A section's content and the window that it is about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Section")]
pub struct Content<T> {
    /// Available.
    #[serde(skip_serializing_if = "Available::is_implied")]
    available: Available,
    /// Begin of the window, ns.
    #[serde(with = "Moment")]
    from_ns: u64,
    /// End, ns.
    #[serde(with = "Moment")]
    to_ns: u64,
    #[serde(flatten)]
    #[allow(missing_docs, reason = "the schema has the fields of the content")]
    pub section: T,
}

/// A section, or why there is none.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged)]
#[allow(missing_docs, reason = "the schema has those of the content")]
pub enum Answer<T> {
    Content(Content<T>),
    Unavailable(Unavailable),
}

impl<T> Content<T> {
    /// Length of the window, ns.
    pub(crate) fn length_ns(&self) -> u64 {
        self.to_ns - self.from_ns
    }
}

impl<T> Answer<T> {
    /// Converts the content.
    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Self::Unavailable(missing) => Answer::Unavailable(missing),
            Self::Content(Content {
                available,
                from_ns,
                to_ns,
                section,
            }) => Answer::Content(Content {
                available,
                from_ns,
                to_ns,
                section: make(section),
            }),
        }
    }
}

/// The answer of a section over the recorded part of a window. `samples` are the ones that suffice without a recording.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn answer<'a, O, T>(
    section: impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>,
    open: &'a Context,
    window: (u64, u64),
    options: O,
    samples: bool,
) -> Result<Answer<T>, Error> {
    let from_ns = window.0.max(open.index.origin_ns());
    let to_ns = window.1.min(open.index.end_ns());
    // A recording of one event has no length; why its sections have no answer is known nevertheless.
    let is_instant = from_ns == open.index.origin_ns() && from_ns == open.index.end_ns();
    let about = if from_ns < to_ns {
        Window { from_ns, to_ns }
    } else if is_instant && !open.tables.is_empty() {
        Window {
            from_ns,
            to_ns: from_ns + 1,
        }
    } else if samples && open.tables.is_empty() {
        // Without a recording nothing has a window but the samples themselves, if they have times at all.
        Window {
            from_ns: 0,
            to_ns: u64::MAX,
        }
    } else {
        let reason =
            no_events(open).unwrap_or("the window has no time in common with the recording");
        return Ok(Answer::Unavailable(Unavailable::new(reason)));
    };
    match section(open, about, options) {
        Ok(section) => Ok(Answer::Content(Content {
            available: Available,
            from_ns,
            to_ns: to_ns.max(from_ns),
            section,
        })),
        Err(Stop::Unavailable(reason)) => Ok(Answer::Unavailable(Unavailable::new(reason))),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// Reason why a bundle has no events; `None` if it has some.
#[must_use]
pub fn no_events(open: &Open) -> Option<&'static str> {
    if !open.tables.is_empty() {
        return None;
    }
    let mut samples = open.samples.iter();
    let logs = !open.samples.is_empty() && samples.all(|table| table.table == "requests");
    Some(if logs {
        "this is a log of requests: add the recording of the same time, such as trace.dat or perf.data"
    } else if open.evidence.is_none() {
        NO_RECORDING
    } else {
        "the recording has no events: the tool was probably stopped before it wrote them; record sched_switch and sched_waking again, and let it end by itself"
    })
}

/// Writes a section over a window with options as JSON.
pub type Write = fn(&Context, (u64, u64), &str) -> Result<Vec<u8>, Error>;

/// Describes the answer of a section.
pub type Describe = fn(&mut SchemaGenerator) -> Schema;

/// A row of the table of sections.
pub struct Section {
    /// Name in requests and in the report.
    pub name: &'static str,
    /// Description for the service; `None` for a section that the service does not have.
    pub about: Option<&'static str>,
    /// Writes its answer.
    pub answer: Write,
    /// Schema of its options.
    pub options: fn() -> Schema,
}

/// Limit of an answer and, except for small sections, of a report, bytes: its reader needs several times as much memory.
pub const MOST_BYTES: usize = 64 << 20;

/// Reason for leaving out an answer of this size, if it is too long.
fn too_long(bytes: usize, section: &str, most: usize) -> Option<Unavailable> {
    let reason = || {
        format!(
            "the section {section} of this window would have {bytes} bytes, more than the limit of {most}: choose a shorter window"
        )
    };
    (bytes > most).then(|| Unavailable::new(reason()))
}

/// JSON of which no more than so many bytes are kept, and all are counted: an answer that is too long takes no memory twice.
struct Text {
    kept: Vec<u8>,
    bytes: usize,
    most: usize,
}

impl Text {
    fn of(value: &impl Serialize, most: usize) -> Result<Self, Error> {
        let mut text = Self {
            kept: Vec::new(),
            bytes: 0,
            most,
        };
        serde_json::to_writer(&mut text, value)
            .map_err(|error| Error::Bundle(error.to_string()))?;
        Ok(text)
    }
}

impl std::io::Write for Text {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes += bytes.len();
        if self.bytes <= self.most {
            self.kept.extend_from_slice(bytes);
        } else {
            self.kept = Vec::new();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The JSON of an answer in some shape; with more than `most` bytes, of why it is left out.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn bounded<T, R: Serialize>(
    section: &str,
    found: Answer<T>,
    shape: impl Fn(Answer<T>) -> Result<R, Error>,
    most: usize,
) -> Result<Vec<u8>, Error> {
    let text = Text::of(&shape(found)?, most)?;
    match too_long(text.bytes, section, most) {
        Some(missing) => json(&shape(Answer::Unavailable(missing))?),
        None => Ok(text.kept),
    }
}

/// The answer of a section as JSON.
///
/// # Errors
///
/// Fails when an option is wrong or a log cannot be read.
pub fn written<'a, O: DeserializeOwned + JsonSchema, T: Serialize>(
    (name, section): (&str, impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>),
    open: &'a Context,
    window: (u64, u64),
    options: &str,
    samples: bool,
) -> Result<Vec<u8>, Error> {
    let found = answer(section, open, window, parse(options)?, samples)?;
    bounded(name, found, Ok, MOST_BYTES)
}

/// The schema of a section's options.
#[must_use]
pub fn described_options<'a, O: JsonSchema, T>(
    _: impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>,
) -> Schema {
    schema_of::<O>()
}

/// The schema of a section's answer.
pub fn described_answer<'a, O, T: JsonSchema>(
    _: impl FnOnce(&'a Context, Window, O) -> Result<T, Stop>,
    generator: &mut SchemaGenerator,
) -> Schema {
    generator.subschema_for::<Answer<T>>()
}

/// Describes what [`for_browser`] writes; `$ref`s lead to the components of an `OpenAPI` document.
#[must_use]
pub fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12()
        .for_serialize()
        .with(|settings| settings.definitions_path = "/components/schemas".into())
        .into_generator()
}

/// JSON as bytes, by the writer of the sections: with another, all their types would be compiled twice.
///
/// # Errors
///
/// Fails when it cannot be written as JSON.
pub fn json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    Ok(Text::of(value, usize::MAX)?.kept)
}

/// The components that a generator has met. What is marked as available for a browser always is.
#[must_use]
pub fn components(mut generator: SchemaGenerator) -> serde_json::Map<String, serde_json::Value> {
    let mut components = generator.take_definitions(true);
    for component in components.values_mut() {
        let marked = component.pointer("/properties/available").is_some();
        let required = component
            .get_mut("required")
            .and_then(|part| part.as_array_mut());
        if let Some(required) = required.filter(|names| {
            marked && is_for_browser() && !names.iter().any(|name| name == "available")
        }) {
            required.push("available".into());
        }
    }
    components
}

// What the bundle holds of the replay, opened when first needed.

/// Reason for having no answer without a recording.
pub const NO_RECORDING: &str = "no input is a recording: add one of the scheduler's events, for example by trace-cmd record -C mono -e sched";

/// Returns the logs that the sections read.
///
/// # Errors
///
/// Stops when an input is missing or a log cannot be read.
pub fn replay(open: &Context) -> Result<(&Parts, &Evidence), Stop> {
    let Some(evidence) = &open.evidence else {
        return Err(Stop::unavailable(NO_RECORDING));
    };
    if !open.switches {
        return Err(Stop::unavailable(
            "sched_switch was not recorded: record it together with sched_waking, sched_wakeup, sched_wakeup_new and sched_migrate_task",
        ));
    }
    Ok((open.parts()?, evidence))
}

/// Tasks and cgroups by their numbers.
pub struct Named<'a> {
    /// The bundle.
    pub open: &'a Context,
    /// Cgroups, when they are known.
    pub groups: Option<&'a Groups>,
}

impl Names for Named<'_> {
    fn task(&self, task: TaskId) -> (i32, &str) {
        self.open.index.task(task).unwrap_or((-1, ""))
    }

    fn cgroup(&self, group: u32) -> &str {
        self.groups.map_or("/", |groups| groups.path(group))
    }
}

/// Pids of the tasks, by number.
pub fn pids(open: &Context) -> Vec<i32> {
    (0..)
        .map_while(|task| open.index.task(task).map(|(pid, _)| pid))
        .collect()
}

// Series that are too long to be drawn, thinned.

/// Every n-th item so that there are at most `most`, and the last; all without a limit.
pub fn evenly<T>(items: &mut Vec<T>, most: Option<usize>) {
    let Some(most) = most.filter(|&most| items.len() > most) else {
        return;
    };
    let step = items.len().div_ceil(most);
    let last = items.len() - 1;
    let mut at = 0;
    items.retain(|_| {
        let kept = at % step == 0 || at == last;
        at += 1;
        kept
    });
}

/// Steps of several nodes with about `most` left: of each part of a node's steps the ends, its highest and its lowest, so that
/// a peak above a threshold stays however many steps there are. All without a limit.
pub fn extremes<T>(
    steps: &mut Vec<T>,
    most: Option<usize>,
    node_of: impl Fn(&T) -> i32,
    height: impl Fn(&T) -> u64,
) {
    let Some(most) = most.filter(|&most| steps.len() > most) else {
        return;
    };
    let mut nodes: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate() {
        nodes.entry(node_of(step)).or_default().push(at);
    }
    let length = (4 * steps.len()).div_ceil(most);
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    for part in nodes.values().flat_map(|rows| rows.chunks(length)) {
        let lowest = part.iter().min_by_key(|&&at| (height(&steps[at]), at));
        let highest = part.iter().max_by_key(|&&at| (height(&steps[at]), at));
        kept.extend(
            part.first()
                .into_iter()
                .chain(part.last())
                .chain(lowest)
                .chain(highest),
        );
    }
    let mut at = 0;
    steps.retain(|_| {
        let keep = kept.contains(&at);
        at += 1;
        keep
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_counted_and_not_kept() {
        let of = |most| {
            let text = Text::of(&vec!["a"; 100], most).unwrap();
            (text.bytes, text.kept.len(), text.kept.capacity() == 0)
        };
        assert_eq!(of(401), (401, 401, false));
        assert_eq!(of(400), (401, 0, true));
        let section = BTreeMap::from([("a", vec!["a"; 100])]);
        let answer = |most| {
            let found = Answer::Content(Content {
                available: Available,
                from_ns: 0,
                to_ns: 1,
                section: section.clone(),
            });
            String::from_utf8(bounded("one", found, Ok, most).unwrap()).unwrap()
        };
        let bytes = answer(usize::MAX).len();
        assert_eq!(answer(bytes), answer(usize::MAX));
        let missing = answer(bytes - 1);
        assert!(
            missing.contains("the section one of this window would have"),
            "{missing}"
        );
    }

    #[test]
    fn an_even_series_keeps_its_ends() {
        for len in 0..200_usize {
            for most in 1..40 {
                let mut items: Vec<usize> = (0..len).collect();
                evenly(&mut items, Some(most));
                assert!(items.len() <= most + 1, "{len} {most}");
                assert!(items.is_sorted());
                assert_eq!(
                    (items.first(), items.last()),
                    ((len > 0).then_some(&0), len.checked_sub(1).as_ref())
                );
            }
        }
        let mut all: Vec<usize> = (0..200).collect();
        evenly(&mut all, None);
        assert_eq!(all.len(), 200);
    }

    #[test]
    fn a_nodes_ends_and_extremes_stay() {
        let whole: Vec<(i32, usize, u64)> = (0..400)
            .map(|at| (at as i32 % 3, at, (at * 7919 % 97) as u64))
            .collect();
        for most in 20..100 {
            let mut left = whole.clone();
            extremes(&mut left, Some(most), |step| step.0, |step| step.2);
            assert!(left.len() <= most + 4 * 3);
            assert!(left.is_sorted_by_key(|step| step.1));
            for node in 0..3 {
                let of = |steps: &[(i32, usize, u64)]| -> Vec<(usize, u64)> {
                    let of = steps.iter().filter(|step| step.0 == node);
                    of.map(|step| (step.1, step.2)).collect()
                };
                let (all, kept) = (of(&whole), of(&left));
                assert_eq!((all.first(), all.last()), (kept.first(), kept.last()));
                let peak = |steps: &[(usize, u64)]| steps.iter().map(|step| step.1).max();
                let pit = |steps: &[(usize, u64)]| steps.iter().map(|step| step.1).min();
                assert_eq!((peak(&all), pit(&all)), (peak(&kept), pit(&kept)));
            }
        }
    }
}
