//! Inputs to a bundle.

mod decode;
mod files;
mod index;
mod limits;
mod sink;
mod window;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use numalens_columns::{ByteSource, InputError};
use numalens_engine::timeline::Config;
use numalens_engine::topology::{Known, Learner, Source, resolve};

use self::decode::Decoded;
use self::limits::Budget;
pub(crate) use self::limits::{Limits, Progress};
use crate::bundle::{Input, MANIFEST, Manifest, SCHEMA};
use crate::error::Error;
use crate::input::Kind;
use crate::storage::{Mapped, named};

/// Decodes the inputs, each a name and a path, into the bundle folder and gives the manifest as JSON.
pub(crate) fn ingest(
    inputs: &[(String, PathBuf)],
    folder: &Path,
    limits: Limits,
    progress: &mut Progress<'_>,
) -> Result<String, Error> {
    let budget = Budget::new(limits);
    match run(inputs, folder, &budget, progress) {
        // A file that would grow too large fails like a full disk; the cap is the better sentence.
        Err(error) if !matches!(error, Error::Python(_)) => Err(budget.exceeded().unwrap_or(error)),
        done => done,
    }
}

fn run(
    inputs: &[(String, PathBuf)],
    folder: &Path,
    budget: &Budget,
    progress: &mut Progress<'_>,
) -> Result<String, Error> {
    std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let read = Read::inputs(inputs, folder, budget, progress)?;
    let window = window::common(&read.listed);
    let cpus = window::cpus(&read.listed);
    let topology = resolve(&read.known, &read.learner, &cpus);
    let mut notes: Vec<String> = read
        .recordings
        .iter()
        .flat_map(|decoded| decoded.notes.clone())
        .collect();
    notes.extend(window.note.clone());
    notes.extend(topology.notes.clone());
    let config = Config {
        origin_ns: window.origin_ns,
        end_ns: window.end_ns,
        cpus: cpus.len() as u32,
        nodes: topology.nodes.clone(),
        ..Config::default()
    };
    let pauses = window::pauses(&read.listed);
    let indexed = index::index(folder, &read.recordings, pauses, config, budget, progress)?;
    notes.extend(indexed.notes);
    let mut event_counts = BTreeMap::new();
    for table in read.recordings.iter().flat_map(|decoded| &decoded.tables) {
        *event_counts.entry(table.event.clone()).or_default() += table.rows;
    }
    let manifest = Manifest {
        schema: SCHEMA,
        created_by: format!("numalens {}", env!("CARGO_PKG_VERSION")),
        inputs: read.listed,
        origin_ns: window.origin_ns,
        end_ns: window.end_ns,
        window_ns: window.common_ns,
        topology,
        event_counts,
        tables: read
            .recordings
            .into_iter()
            .flat_map(Decoded::into_tables)
            .collect(),
        tasks: indexed.tasks,
        replay: indexed.stats,
        notes,
    };
    let json = serde_json::to_string_pretty(&manifest)
        .map_err(|error| Error::Bundle(error.to_string()))?;
    let path = folder.join(MANIFEST);
    std::fs::write(&path, &json).map_err(|error| named(&path, &error))?;
    Ok(json)
}

/// What all inputs came to.
#[derive(Default)]
struct Read {
    listed: Vec<Input>,
    recordings: Vec<Decoded>,
    known: Vec<Known>,
    learner: Learner,
}

impl Read {
    fn inputs(
        inputs: &[(String, PathBuf)],
        folder: &Path,
        budget: &Budget,
        progress: &mut Progress<'_>,
    ) -> Result<Self, Error> {
        // All inputs are looked at first: one that cannot be read is told before the others are decoded.
        let mut sources = Vec::new();
        for (name, path) in inputs {
            let source = open(name, path)?;
            let kind = Kind::of(&source).map_err(|error| Error::input(name, error))?;
            sources.push((name, source, kind));
        }
        let len = |source: &Mapped| source.bytes().len() as u64;
        let total = sources.iter().map(|(_, source, _)| len(source)).sum();
        let mut read = Self::default();
        let mut done = 0;
        for (name, source, kind) in sources {
            let bytes = len(&source);
            let recording = match kind {
                Kind::Topology => {
                    let known = known(name, &source);
                    read.known
                        .push(known.map_err(|error| Error::input(name, error))?);
                    None
                }
                Kind::TraceDat => {
                    let input = read.listed.len() as u32;
                    let part = progress.part("decoding", done, bytes, total);
                    let (recording, decoded) = decode::decode(
                        name,
                        input,
                        &source,
                        folder,
                        budget,
                        &mut read.learner,
                        part,
                    )?;
                    read.recordings.push(decoded);
                    Some(recording)
                }
            };
            done += bytes;
            read.listed.push(Input {
                name: name.clone(),
                kind,
                bytes,
                recording,
            });
        }
        Ok(read)
    }
}

/// The topology of a sidecar.
fn known(name: &str, source: &Mapped) -> Result<Known, InputError> {
    let topology = numalens_topology::parse(source.bytes())?;
    Ok(Known {
        name: name.to_owned(),
        source: Source::Sidecar,
        nodes: topology
            .nodes
            .into_iter()
            .map(|node| (node.nid, node.cpus))
            .collect(),
        distances: topology.distances,
    })
}

fn open(name: &str, path: &Path) -> Result<Mapped, Error> {
    Mapped::open(path)
        .map_err(|error| std::io::Error::new(error.kind(), format!("{name}: {error}")).into())
}

/// Says what a file is.
pub(crate) fn sniff(path: &Path, name: &str) -> Result<Kind, Error> {
    Kind::of(&open(name, path)?).map_err(|error| Error::input(name, error))
}
