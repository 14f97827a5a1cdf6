//! The tables of the idle load balancer's events.

use numalens_core::kernel_version::KernelVersion;
use numalens_events::{IlbKind, LostMark};
use numalens_replay::idle_balancing::{IlbTable, learn_csd};

use super::decode::{Decoded, marks_of};
use super::files::Folder;
use super::sink::fullest;
use crate::bundle::Input;
use crate::error::Error;

/// Opens a recording's tables of the idle load balancer's events; gives how many rows they have.
pub(super) fn add_tables(
    folder: Folder<'_>,
    recording: &Decoded,
    gaps: &[LostMark],
    tables: &mut Vec<IlbTable<'static>>,
) -> Result<u64, Error> {
    let found = Recorded::of(folder, recording)?;
    found.tables(folder, recording, tables)?;
    if !found.files.is_empty() {
        let used: Vec<u8> = found.files.iter().map(|file| file.buffer).collect();
        tables.push(IlbTable::lost(recording.input, marks_of(gaps, &used)));
    }
    Ok(found.files.iter().map(|file| file.rows).sum())
}

/// The release in what a recording says of its kernel: `6.1.0-44-amd64`.
pub(super) fn release(input: &Input) -> Option<String> {
    let kernel = input.recording.as_ref()?.kernel.as_deref()?;
    let version = KernelVersion::of(kernel)?;
    let mut words = kernel.split_whitespace();
    let word = words.find(|word| KernelVersion::of(word) == Some(version))?;
    Some(word.to_owned())
}

/// A recording's tables about the balancer.
struct Recorded {
    files: Vec<File>,
}

struct File {
    kind: IlbKind,
    also: Option<IlbKind>,
    name: String,
    buffer: u8,
    rows: u64,
    /// True if its functions are texts, so that their addresses need not be known.
    named: bool,
}

impl Recorded {
    fn of(folder: Folder<'_>, recording: &Decoded) -> Result<Self, Error> {
        let mut files = Vec::new();
        for table in &recording.tables {
            let Some((buffer, rows)) = fullest(table) else {
                continue;
            };
            let file = folder.open(&table.file, None)?;
            let fields = file.schema().fields();
            let columns: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
            if let Some(kind) = IlbKind::of(&table.system, &table.event, &columns) {
                let mut texts = fields.iter().filter(|field| field.data_type().is_string());
                files.push(File {
                    kind,
                    also: kind.also(&columns),
                    name: table.file.clone(),
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
        folder: Folder<'_>,
        recording: &Decoded,
        tables: &mut Vec<IlbTable<'static>>,
    ) -> Result<(), Error> {
        let open = |file: &File, kind, function| -> Result<IlbTable<'static>, Error> {
            let found = folder.open(&file.name, Some(IlbKind::COLUMNS))?;
            let batches = folder.ahead(found);
            let (input, buffer) = (recording.input, file.buffer);
            let table = IlbTable::new(input, kind, buffer, function, batches);
            Ok(table.also(file.also))
        };
        let of = |kind| self.files.iter().find(|file| file.kind == kind);
        let listed = |kind: IlbKind| {
            let mut names = kind.functions().iter();
            names.find_map(|name| recording.symbols.address(name))
        };
        // Where no list of symbols shows which address is the function that a kick runs, the probe inside of it does.
        let csd = match (
            listed(IlbKind::CsdEntry),
            of(IlbKind::CsdEntry),
            of(IlbKind::Arrive),
        ) {
            (Some(address), ..) => Some(address),
            (None, Some(entries), Some(arrivals)) => learn_csd(
                open(entries, entries.kind, None)?,
                open(arrivals, arrivals.kind, None)?,
            )?,
            _ => None,
        };
        let reads_nohz = self.files.iter().any(|file| file.also.is_some());
        for file in &self.files {
            let function = match file.kind {
                IlbKind::Timer => listed(IlbKind::Timer),
                IlbKind::CsdQueue | IlbKind::CsdEntry => csd,
                _ => None,
            };
            // Of functions that cannot be distinguished, none is observed.
            let bare = match file.kind {
                IlbKind::WakeQueue | IlbKind::WakeEntry | IlbKind::TickEnd => reads_nohz,
                kind => kind.functions().is_empty(),
            };
            if bare || file.named || function.is_some() {
                tables.push(open(file, file.kind, function)?);
            }
            // Where the balancer's own state is read, so is who counts as idle to it.
            if let Some(kind) = file.kind.wakes().filter(|_| reads_nohz) {
                let function = listed(kind);
                if file.named || function.is_some() {
                    tables.push(open(file, kind, function)?);
                }
            }
        }
        Ok(())
    }
}
