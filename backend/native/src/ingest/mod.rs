//! Inputs to a bundle.

mod decode;
mod files;
mod index;
mod limits;
mod sink;
mod window;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use numalens_columns::ByteSource;
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
    std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let budget = Budget::new(limits);
    let mut learner = Learner::default();
    let mut known = Vec::new();
    let mut listed = Vec::new();
    let mut recordings: Vec<Decoded> = Vec::new();
    let mut sources = Vec::new();
    for (name, path) in inputs {
        let source = open(name, path)?;
        let kind = Kind::of(&source).map_err(|error| Error::input(name, error))?;
        sources.push((name, source, kind));
    }
    let total = sources.iter().map(|(_, source, _)| source.bytes().len() as u64).sum();
    let mut done = 0;
    for (number, (name, source, kind)) in sources.into_iter().enumerate() {
        let bytes = source.bytes().len() as u64;
        let recording = match kind {
            Kind::Topology => {
                let topology =
                    numalens_topology::parse(source.bytes()).map_err(|error| Error::input(name, error))?;
                known.push(Known {
                    name: name.clone(),
                    source: Source::Sidecar,
                    nodes: topology.nodes.into_iter().map(|node| (node.nid, node.cpus)).collect(),
                    distances: topology.distances,
                });
                None
            }
            Kind::TraceDat => {
                let span = progress.part("decoding", done, bytes, total);
                let (recording, decoded) =
                    decode::decode(name, number as u32, &source, folder, &budget, &mut learner, span)?;
                recordings.push(decoded);
                Some(recording)
            }
        };
        done += bytes;
        listed.push(Input { name: name.clone(), kind, bytes, recording });
    }
    let spans: Vec<_> = listed.iter().filter_map(|input| input.recording.as_ref()).flat_map(|r| &r.cpu_spans).collect();
    let window = window::common(&spans);
    let cpus = window::cpus(&listed);
    let topology = resolve(&known, &learner, &cpus);
    let mut notes: Vec<String> = recordings.iter().flat_map(|decoded| decoded.notes.clone()).collect();
    notes.extend(window.note.clone());
    notes.extend(topology.notes.clone());
    let indexed = index::index(folder, &recordings, &window, cpus.len() as u32, &topology, &budget, progress)?;
    notes.extend(indexed.notes);
    let mut event_counts = BTreeMap::new();
    for table in recordings.iter().flat_map(|decoded| &decoded.tables) {
        *event_counts.entry(table.event.clone()).or_default() += table.rows;
    }
    let manifest = Manifest {
        schema: SCHEMA,
        created_by: format!("numalens {}", env!("CARGO_PKG_VERSION")),
        inputs: listed,
        origin_ns: window.origin_ns,
        end_ns: window.end_ns,
        window_ns: window.common_ns,
        topology,
        event_counts,
        tables: recordings.into_iter().flat_map(Decoded::into_tables).collect(),
        tasks: indexed.tasks,
        replay: indexed.stats,
        notes,
    };
    let json = serde_json::to_string_pretty(&manifest).map_err(|error| Error::Bundle(error.to_string()))?;
    let path = folder.join(MANIFEST);
    std::fs::write(&path, &json).map_err(|error| named(&path, &error))?;
    Ok(json)
}

fn open(name: &str, path: &Path) -> Result<Mapped, Error> {
    Mapped::open(path).map_err(|error| std::io::Error::new(error.kind(), format!("{name}: {error}")).into())
}

/// Says what a file is.
pub(crate) fn sniff(path: &Path, name: &str) -> Result<Kind, Error> {
    Kind::of(&open(name, path)?).map_err(|error| Error::input(name, error))
}
