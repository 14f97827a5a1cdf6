//! Sections of a report over a window, answered from what the bundle holds of the replay. No event is read.

mod data;
mod findings;
mod ilb;
mod latency;
mod numa;
mod options;
mod psi;
mod sampled;
mod usage;
mod wait;
mod wait_heat;
mod wait_windows;
mod waits;
mod waste;

use serde::Serialize;
use serde_json::{Value, json};

use crate::bundle::Open;
use crate::error::Error;

pub use self::findings::found;
pub use self::ilb::{Kicks, kicks};
pub use self::numa::{Clung, Group, Node, attempts, clung};
pub use self::options::Pressure;
pub use self::psi::replayed as pressure;
pub use self::sampled::pressure_samples;
pub use self::usage::used;

/// Why there is no answer, in one sentence, or why the question is wrong.
type Answer = Result<Value, Error>;

/// A window inside the recording, ns of the reference clock; never empty.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Where it begins.
    pub from_ns: u64,
    /// Where it ends.
    pub to_ns: u64,
}

/// The sections by name.
const SECTIONS: [(&str, Section); 18] = [
    ("psi", psi::psi),
    ("utilisation", usage::utilisation),
    ("residency", usage::residency),
    ("latency", latency::latency),
    ("wait_windows", wait_windows::wait_windows),
    ("wait_heat", wait_heat::wait_heat),
    ("waits", waits::waits),
    ("wait", wait::wait),
    ("waste", waste::waste),
    ("balancing", numa::balancing),
    ("cling", numa::cling),
    ("reproduced", numa::reproduced),
    ("vmstat", numa::vmstat),
    ("migration", numa::migration),
    ("placement", numa::placement),
    ("ilb", ilb::ilb),
    ("findings", findings::findings),
    ("sampled", sampled::sampled),
];

/// The sections that also tell of samples alone.
const SAMPLED: [&str; 2] = ["vmstat", "migration"];

type Section = fn(&Open, Window, &str) -> Answer;

/// The answer of a section over a window, as JSON.
///
/// # Errors
///
/// Fails when there is no such section, an option is wrong or a log cannot be read.
pub fn analyse(
    open: &Open,
    section: &str,
    window: (u64, u64),
    options: &str,
) -> Result<String, Error> {
    let Some((_, answer)) = SECTIONS.iter().find(|(name, _)| *name == section) else {
        let names: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
        return Err(Error::Wrong(format!(
            "expected a section ({}), found \"{section}\"",
            names.join(", ")
        )));
    };
    let from_ns = window.0.max(open.index.origin_ns());
    let to_ns = window.1.min(open.index.end_ns());
    let mut value = if from_ns < to_ns {
        answer(open, Window { from_ns, to_ns }, options)?
    } else if open.tables.is_empty() && SAMPLED.contains(&section) {
        // Without a recording nothing has a window but the samples themselves, if they have times at all.
        let (from_ns, to_ns) = (0, u64::MAX);
        answer(open, Window { from_ns, to_ns }, options)?
    } else {
        // A wrong option is told whatever the window is.
        options::check(section, options)?;
        unavailable("no time of the recording lies in the window")
    };
    if let Value::Object(map) = &mut value {
        map.insert("from_ns".to_owned(), json!(from_ns));
        map.insert("to_ns".to_owned(), json!(to_ns.max(from_ns)));
    }
    let text = serde_json::to_string(&value).map_err(broken)?;
    Ok(short(text, section, MOST_BYTES))
}

/// The longest answer, bytes: whoever reads it needs several times as much memory.
const MOST_BYTES: usize = 64 << 20;

/// The text of an answer, or why it is left out: it is longer than `most` bytes.
fn short(text: String, section: &str, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let reason = format!(
        "the section {section} of this window would be {} bytes, and at most {most} are given: choose a shorter window",
        text.len()
    );
    unavailable(&reason).to_string()
}

fn unavailable(reason: &str) -> Value {
    json!({"available": false, "reason": reason})
}

fn value(content: &impl Serialize) -> Answer {
    serde_json::to_value(content).map_err(broken)
}

#[allow(clippy::needless_pass_by_value)]
fn broken(error: serde_json::Error) -> Error {
    Error::Bundle(error.to_string())
}
