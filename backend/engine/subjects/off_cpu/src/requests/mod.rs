//! Requests as an input: a log of when each began and how long it took, put on the recording's clock and mapped to tasks.

mod clock;
mod kept;
mod path;
mod server;

use std::collections::BTreeMap;

use numalens_bundle::{Error, Open, inputs, samples, texts};
use numalens_requests::read;
use serde::Deserialize;

pub(crate) use clock::{Clock, align, clock_name};
pub(crate) use numalens_requests::Request;
pub(crate) use path::Service;
pub(crate) use server::server;

/// The table of the samples that has the lines of all logs.
const TABLE: &str = "requests";

/// Log of requests.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    /// Name of its file.
    pub(crate) name: String,
    /// Requests of the log, on the log's clock.
    pub(crate) requests: Vec<Request>,
    /// Alignment of its clock, if already known.
    pub(crate) clock: Option<Clock>,
}

impl Log {
    /// Reads the text of a log. `recorded` is when the recording begins and ends.
    pub(crate) fn read(name: &str, text: &str, recorded: (u64, u64)) -> Result<Self, Error> {
        let requests =
            read(text, recorded).map_err(|why| Error::Option(format!("{name}: {why}")))?;
        Ok(Self {
            name: name.to_owned(),
            requests,
            clock: None,
        })
    }

    /// Returns the logs among a bundle's inputs.
    pub(crate) fn of_bundle(open: &Open) -> Result<Vec<Self>, Error> {
        let mut logs: BTreeMap<u32, String> = BTreeMap::new();
        samples(open, TABLE, |batch| {
            let (Some(inputs), Some(lines)) = (inputs(batch), texts(batch, "line")) else {
                return;
            };
            for (input, line) in inputs.values().iter().zip(lines) {
                let log = logs.entry(*input).or_default();
                log.push_str(line.unwrap_or_default());
                log.push('\n');
            }
        })?;
        let recorded = (open.index.origin_ns(), open.index.end_ns());
        let names = names(open);
        let logs = logs.iter().map(|(&input, text)| {
            let name = names.get(input as usize).map_or("the log", |name| name);
            Self::read(name, text, recorded)
        });
        logs.collect()
    }
}

#[derive(Deserialize)]
struct Manifest {
    inputs: Vec<Input>,
}

#[derive(Deserialize)]
struct Input {
    name: String,
}

/// Names of a bundle's inputs.
fn names(open: &Open) -> Vec<String> {
    let manifest = serde_json::from_str::<Manifest>(&open.manifest);
    let inputs = manifest.map(|manifest| manifest.inputs);
    let names = inputs.into_iter().flatten().map(|input| input.name);
    names.collect()
}
