//! The pass over the events of the idle load balancer.

use std::path::Path;

use numalens_core::FileSink;
use numalens_core::ipc::IpcFile;
use numalens_core::kernel_version::KernelVersion;
use numalens_events::IlbKind;
use numalens_replay::evidence::Evidence;
use numalens_replay::idle_balancing::{
    self, EVENTS_FILE, IlbMerge, IlbTable, JiffyLearner, learn_csd,
};

use super::decode::Decoded;
use super::index::{Folder, fullest, lost_marks};
use super::limits::{Budget, Progress};
use crate::bundle::{Ilb, Input};
use crate::error::Error;
use crate::storage::Pieces;

/// Reads the balancer's events and writes their log. `None` without a recording.
pub(super) fn replay(
    folder: &Path,
    recordings: &[Decoded],
    listed: &[Input],
    evidence: Option<&Evidence>,
    (origin_ns, end_ns): (u64, u64),
    budget: &Budget,
    progress: &mut Progress<'_>,
) -> Result<Option<Ilb>, Error> {
    let Some(evidence) = evidence.filter(|_| !recordings.is_empty()) else {
        return Ok(None);
    };
    let mut tables = Vec::new();
    let mut total = 0;
    for recording in recordings {
        let found = Recorded::of(folder, recording)?;
        total += found.files.iter().map(|file| file.rows).sum::<u64>();
        found.tables(recording, &mut tables)?;
        if !found.files.is_empty() {
            let used: Vec<u8> = found.files.iter().map(|file| file.buffer).collect();
            let events = folder.join("events").join(recording.input.to_string());
            let marks = lost_marks(&events, recording, &used)?;
            tables.push(IlbTable::lost(recording.input, marks));
        }
    }
    let mut sink = Folder::new(folder, budget);
    let out = sink
        .create(EVENTS_FILE)
        .map_err(|error| crate::storage::named(&folder.join(EVENTS_FILE), &error))?;
    let mut jiffies = JiffyLearner::new(evidence.hz, origin_ns, end_ns);
    let read = idle_balancing::pass(IlbMerge::new(tables)?, out, &mut jiffies, &mut |done| {
        progress.at("replaying", done, total)
    });
    let kinds = match read {
        Ok(kinds) => kinds,
        Err(error) => return Err(progress.raised().unwrap_or(error.into())),
    };
    Ok(Some(Ilb {
        kinds: kinds.numbers().collect(),
        jiffies: jiffies.finish(),
        kernel: listed.iter().find_map(release),
    }))
}

/// The release in what a recording says of its kernel: `6.1.0-44-amd64`.
fn release(input: &Input) -> Option<String> {
    let kernel = input.recording.as_ref()?.kernel.as_deref()?;
    let version = KernelVersion::of(kernel)?;
    let mut words = kernel.split_whitespace();
    let word = words.find(|word| KernelVersion::of(word) == Some(version))?;
    Some(word.to_owned())
}

/// A recording's tables that tell of the balancer.
struct Recorded {
    files: Vec<File>,
}

struct File {
    kind: IlbKind,
    path: std::path::PathBuf,
    buffer: u8,
    rows: u64,
    /// Whether its functions are texts, so that nobody has to know their addresses.
    named: bool,
}

impl Recorded {
    fn of(folder: &Path, recording: &Decoded) -> Result<Self, Error> {
        let events = folder.join("events").join(recording.input.to_string());
        let mut files = Vec::new();
        for table in &recording.tables {
            let path = events.join(&table.file);
            let Some((buffer, rows)) = fullest(table) else {
                continue;
            };
            let file = IpcFile::open(Pieces::open(&path)?, None)?;
            let fields = file.schema().fields();
            let columns: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
            if let Some(kind) = IlbKind::of(&table.system, &table.event, &columns) {
                let mut texts = fields.iter().filter(|field| field.data_type().is_string());
                files.push(File {
                    kind,
                    path,
                    buffer,
                    rows,
                    named: texts.any(|field| matches!(field.name().as_str(), "function" | "func")),
                });
            }
        }
        Ok(Self { files })
    }

    /// The tables, ready to be read.
    fn tables(
        &self,
        recording: &Decoded,
        tables: &mut Vec<IlbTable<'static>>,
    ) -> Result<(), Error> {
        let open = |file: &File, function| -> Result<IlbTable<'static>, Error> {
            let found = IpcFile::open(Pieces::open(&file.path)?, Some(IlbKind::COLUMNS))?;
            let batches = Box::new(found.into_batches());
            Ok(IlbTable::new(
                recording.input,
                file.kind,
                file.buffer,
                function,
                batches,
            ))
        };
        let of = |kind| self.files.iter().find(|file| file.kind == kind);
        let listed = |kind: IlbKind| {
            let mut names = kind.functions().iter();
            names.find_map(|name| recording.symbols.address(name))
        };
        // Where no list of symbols tells which address is the function that a kick runs, the probe inside of it does.
        let csd = match (
            listed(IlbKind::CsdEntry),
            of(IlbKind::CsdEntry),
            of(IlbKind::Arrive),
        ) {
            (Some(address), ..) => Some(address),
            (None, Some(entries), Some(arrivals)) => {
                learn_csd(open(entries, None)?, open(arrivals, None)?)?
            }
            _ => None,
        };
        for file in &self.files {
            let function = match file.kind {
                IlbKind::Timer => listed(IlbKind::Timer),
                IlbKind::CsdQueue | IlbKind::CsdEntry => csd,
                _ => None,
            };
            // Of functions that nobody can tell apart, none is observed.
            if file.kind.functions().is_empty() || file.named || function.is_some() {
                tables.push(open(file, function)?);
            }
        }
        Ok(())
    }
}
