//! Removes what a copy for others must not contain: other times, other tasks, names.
//!
//! It works on the tables of the new bundle before anything is replayed, so that everything derived comes from the copy
//! alone. At the end every other table passes through the same names ([`seal`]).

mod kernel;
mod names;
mod rows;
mod samples;
mod table;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field};
use numalens_columns::MappingChange;
use numalens_core::clock::Placement;
use numalens_events::times;
use numalens_replay::stacks::FRAMES_FILE;

use self::names::{Kind, Names};
use self::rows::{Counts, Wanted};
use self::table::{CALLCHAIN, Table};
use super::decode::{Decoded, TABLES, tables_of};
use super::files::Folder;
use super::read::Read;
use crate::bundle::{Input, LOST, Recording, SAMPLES, SampleTable};
use crate::error::Error;

/// Contents of a redacted copy.
#[derive(Debug, Clone, Default)]
pub struct Cut {
    /// First moment and, in `to_ns`, last, ns of the reference clock.
    pub from_ns: Option<u64>,
    /// See [`Self::from_ns`].
    pub to_ns: Option<u64>,
    /// Chosen threads; of all others, only their time on CPUs remains, under one name.
    pub tasks: Option<BTreeSet<i32>>,
    /// Names of tasks, cgroups and files become numbers.
    pub pseudonyms: bool,
}

/// Note of a copy of an analysis with a log of requests.
const WITHOUT_LOG: &str = "The log of requests was left out of this copy, since its lines may have names and other times.";

impl Cut {
    fn window(&self) -> (u64, u64) {
        (self.from_ns.unwrap_or(0), self.to_ns.unwrap_or(u64::MAX))
    }

    fn leaves_all(&self) -> bool {
        self.from_ns.is_none() && self.to_ns.is_none() && self.tasks.is_none() && !self.pseudonyms
    }

    /// One sentence for the manifest.
    fn sentence(&self) -> String {
        let mut parts = Vec::new();
        if self.from_ns.is_some() || self.to_ns.is_some() {
            parts.push("a time range of the recording".to_owned());
        }
        if let Some(tasks) = &self.tasks {
            parts.push(format!("what {} chosen threads did", tasks.len()));
        }
        if self.pseudonyms {
            parts.push("pseudonyms for names".to_owned());
        }
        format!("This is a redacted copy: it has {}.", parts.join(", "))
    }
}

/// Cuts what was read and put in place; gives the names of the copy, for [`seal`].
pub(super) fn apply(
    cut: &Cut,
    read: &mut Read,
    samples: &mut Vec<SampleTable>,
    placement: &Placement,
    folder: Folder<'_>,
) -> Result<Names, Error> {
    let mut names = Names::new(cut);
    if cut.leaves_all() {
        return Ok(names);
    }
    for decoded in &mut read.recordings {
        let input = &mut read.listed[decoded.input as usize];
        if let Some(recording) = input.recording.as_mut() {
            events(cut, decoded, recording, &mut names, folder)?;
            let (_, to) = cut.window();
            let placed = placement.inputs.get(decoded.input as usize);
            let span = placed.and_then(|placed| placed.span);
            recording.clock_pairs.retain(|pair| {
                // A pair shows the recording's own clock, whatever the others' are.
                let at = span.map_or(pair.trace_ns, |span| span.apply(pair.trace_ns));
                u64::try_from(at).is_ok_and(|at| at <= to)
            });
        }
    }
    let without_log = samples::cut(cut, samples, &mut read.listed, &mut names, folder)?;
    if cut.pseudonyms {
        unname(read, &mut names);
    }
    read.notes.push(cut.sentence());
    if without_log {
        read.notes.push(WITHOUT_LOG.to_owned());
    }
    Ok(names)
}

/// Replaces the names in tables made from events and samples, and empties the call chains of events. Their frames are in the
/// log of stacks, and an address read from a broken stack may be a text.
pub(super) fn seal(
    names: &mut Names,
    recordings: &[Decoded],
    folder: Folder<'_>,
) -> Result<(), Error> {
    if !names.pseudonyms() {
        return Ok(());
    }
    for written in recordings.iter().flat_map(|decoded| &decoded.tables) {
        let table = folder.open(&written.file, None)?;
        if table.schema().column_with_name(CALLCHAIN).is_some() {
            rewrite(folder, &written.file, &mut table::without_chains)?;
        }
    }
    for name in folder.names() {
        let made_before = [TABLES, SAMPLES, LOST].iter().any(|within| {
            name.strip_prefix(within)
                .is_some_and(|rest| rest.starts_with('/'))
        });
        if made_before {
            continue;
        }
        let table = folder.open(&name, None)?;
        let text = |field: &Arc<Field>| *field.data_type() == DataType::Utf8;
        if table.schema().fields().iter().any(text) {
            rewrite(folder, &name, &mut |batch| {
                if name == FRAMES_FILE {
                    names.frames(batch)
                } else {
                    names.derived(batch)
                }
            })?;
        }
    }
    Ok(())
}

/// Redacts the tables of a recording and computes its summary again.
fn events(
    cut: &Cut,
    decoded: &mut Decoded,
    recording: &mut Recording,
    names: &mut Names,
    folder: Folder<'_>,
) -> Result<(), Error> {
    let mut counts = Counts::default();
    let mut kept = Vec::with_capacity(decoded.tables.len());
    for (at, mut written) in std::mem::take(&mut decoded.tables).into_iter().enumerate() {
        let wanted = Wanted::new(cut, &written.event);
        let file = folder.open(&written.file, None)?;
        let table = Table::new(names, &written, file.schema());
        written.by_buffer.clear();
        written.rows = 0;
        folder.rewrite_as(&written.file, file, &table.schema, |batch, writer| {
            let batch = table.rows(names, &wanted.of(batch)?)?;
            counts.count(&batch, &mut written.by_buffer);
            written.rows += batch.num_rows() as u64;
            Ok(writer.write(&batch, times(&batch)?.iter().copied())?)
        })?;
        if written.rows == 0 {
            folder.remove(&written.file)?;
            continue;
        }
        if cut.pseudonyms {
            let file = format!("{}/{at}.arrow", tables_of(decoded.input));
            folder.rename(&written.file, &file)?;
            written.file = file;
        }
        (written.system, written.event) = (table.system, table.event);
        written.print_fmt = table.print_fmt;
        kept.push(written);
    }
    decoded.tables = kept;
    let (from, to) = cut.window();
    decoded
        .lost
        .retain(|lost| (from..=to).contains(&lost.ts_ns));
    if let Some(chosen) = &cut.tasks {
        decoded
            .mappings
            .changes
            .retain(|mapping| match mapping.change {
                MappingChange::Thread { tid, .. } | MappingChange::Ended { tid } => {
                    chosen.contains(&tid)
                }
                _ => true,
            });
    }
    decoded
        .lines
        .marks
        .retain(|(at, _)| u64::try_from(*at).is_ok_and(|at| (from..=to).contains(&at)));
    recording.events = counts.events();
    recording.lost_marks = decoded.lost.len() as u64;
    recording.lost_events = decoded.lost.iter().filter_map(|lost| lost.count).sum();
    let silent = decoded.lost.iter().filter(|lost| lost.count.is_none());
    recording.lost_unknown_marks = silent.count() as u64;
    recording.cpu_spans = counts.cpus();
    for (at, buffer) in recording.buffers.iter_mut().enumerate() {
        let span = counts.buffer(at);
        buffer.events = span.map_or(0, |span| span.events);
        buffer.first_ns = span.map(|span| span.first_ns);
        buffer.last_ns = span.map(|span| span.last_ns);
    }
    super::decode::rewrite_lost(folder, decoded.input, &decoded.lost)
}

/// Replaces a table's file by what `change` makes of its batches; gives the rows that are left.
fn rewrite(
    folder: Folder<'_>,
    file: &str,
    change: &mut dyn FnMut(&RecordBatch) -> Result<RecordBatch, Error>,
) -> Result<u64, Error> {
    let mut rows = 0;
    folder.rewrite(file, |batch, writer| {
        let batch = change(batch)?;
        if batch.num_rows() > 0 {
            rows += batch.num_rows() as u64;
            match times(&batch) {
                Ok(ts) => writer.write(&batch, ts.iter().copied())?,
                // Samples may have none.
                Err(_) => writer.write_unordered(&batch)?,
            }
        }
        Ok(())
    })?;
    Ok(rows)
}

/// Removes metadata of the inputs other than events and samples: it contains names of machines, files and users.
fn unname(read: &mut Read, names: &mut Names) {
    for (at, input) in read.listed.iter_mut().enumerate() {
        unname_input(at, input, names);
    }
    for decoded in &mut read.recordings {
        decoded
            .name
            .clone_from(&read.listed[decoded.input as usize].name);
        // They begin with the input's name, and may quote what is in it.
        decoded.notes.clear();
        names.mappings(&mut decoded.mappings);
        for text in decoded
            .clocks
            .iter_mut()
            .flatten()
            .chain(&mut decoded.lines.rates)
        {
            *text = names.words(text);
        }
    }
    for known in &mut read.known {
        "topology".clone_into(&mut known.name);
    }
    if let Some((name, _)) = &mut read.kernel {
        "The file of the kernel's functions".clone_into(name);
    }
    let names = RefCell::new(names);
    read.programs.rename(
        |name| names.borrow_mut().number(Kind::File, name),
        |build| names.borrow_mut().number(Kind::Build, build),
    );
    read.notes.clear();
}

fn unname_input(at: usize, input: &mut Input, names: &mut Names) {
    input.name = format!("{}-{}", input.kind.name, at + 1);
    for left in &mut input.skipped {
        "left out in reading".clone_into(&mut left.why);
    }
    if let Some(clock) = input
        .alignment
        .as_mut()
        .and_then(|placed| placed.clock.as_mut())
    {
        *clock = names.words(clock);
    }
    if let Some(recording) = &mut input.recording {
        recording.facts.clear();
        recording.kernel = recording.kernel.as_deref().and_then(release);
        recording.clock = recording.clock.as_deref().map(|clock| names.words(clock));
        for (number, buffer) in recording.buffers.iter_mut().enumerate() {
            buffer.clock = buffer.clock.as_deref().map(|clock| names.words(clock));
            if number > 0 {
                buffer.name = format!("instance-{number}");
            }
        }
    }
}

/// The release part of a recording's kernel: `uname -a` also has the machine's name.
fn release(kernel: &str) -> Option<String> {
    let word = kernel
        .split_whitespace()
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))?;
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.');
    Some(word[..end.unwrap_or(word.len())].to_owned())
}

#[cfg(test)]
mod tests {
    use super::release;

    #[test]
    fn a_kernel_is_named_by_its_release_alone() {
        for (said, kept) in [
            ("Linux acme-db7 6.1.0-18-amd64 x86_64", Some("6.1.0")),
            ("6.12.0", Some("6.12.0")),
            ("7.2-rc3-acme", Some("7.2")),
            ("acme", None),
        ] {
            assert_eq!(release(said).as_deref(), kept, "{said}");
        }
    }
}
