//! Inputs to a bundle.

mod align;
mod cut;
mod decode;
mod evidence;
mod files;
mod ilb;
mod index;
mod limits;
mod lines;
mod numa;
mod read;
mod samples;
mod sink;
mod unseen;
mod window;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use numalens_columns::ReadOptions;
use numalens_core::clock::{Placement, Times, place};
use numalens_core::topology::resolve;
use numalens_replay::timeline::Config;

pub use self::cut::Cut;
use self::decode::Decoded;
use self::limits::Budget;
pub use self::limits::{Limits, Progress, Teller};
use self::read::Read;
pub(crate) use self::read::open;
use crate::bundle::{Ilb, Input, MANIFEST, Manifest, SCHEMA, SampleTable};
use crate::error::Error;
use crate::storage::named;

/// What is to be read, and how.
#[derive(Debug, Default)]
pub struct Order {
    /// Name and path of each input.
    pub inputs: Vec<(String, PathBuf)>,
    /// For a Perfetto trace: the file of the trace processor's answers, by position.
    pub rows: BTreeMap<u32, PathBuf>,
    /// ns to add to an input's times, by position: the user's word.
    pub offsets: BTreeMap<u32, i64>,
    /// Jiffies per second: the user's word.
    pub hz: Option<u32>,
    /// How strictly.
    pub options: ReadOptions,
    /// What it may cost at most.
    pub limits: Limits,
    /// What of it all becomes part of the bundle.
    pub cut: Cut,
}

/// Reads the inputs into the bundle folder and gives the manifest as JSON.
///
/// # Errors
///
/// Fails when an input cannot be read, a limit is reached, a file cannot be written or the progress callback raises.
pub fn ingest(order: &Order, folder: &Path, progress: &mut Progress<'_>) -> Result<String, Error> {
    let budget = Budget::new(order.limits);
    match run(order, folder, &budget, progress) {
        // A file that would grow too large fails like a full disk; the cap is the better sentence.
        Err(error) if !matches!(error, Error::Interrupted(_)) => {
            Err(budget.exceeded().unwrap_or(error))
        }
        done => done,
    }
}

fn run(
    order: &Order,
    folder: &Path,
    budget: &Budget,
    progress: &mut Progress<'_>,
) -> Result<String, Error> {
    std::fs::create_dir_all(folder).map_err(|error| named(folder, &error))?;
    let mut read = Read::inputs(order, folder, budget, progress)?;
    let times: Vec<Times> = read.times();
    let meetings = align::meetings(&read.recordings, &read.collected);
    let placement = place(&times, &meetings, &order.offsets);
    let mut samples = put_in_place(&mut read, &placement, &times, folder, budget)?;
    cut::apply(
        &order.cut,
        &mut read,
        &mut samples,
        &placement,
        folder,
        budget,
    )?;
    window::check(&read.listed)?;
    let hotplug = evidence::hotplug(folder, &read.recordings)?;
    let window = window::common(&read.listed, &samples, &hotplug.offline);
    let cpus = window::cpus(&read.listed);
    let topology = resolve(&read.known, &read.learner, &cpus);
    let mut notes: Vec<String> = read
        .recordings
        .iter()
        .flat_map(|decoded| decoded.notes.clone())
        .collect();
    notes.append(&mut read.notes);
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
    let (mut gathered, mut given) = evidence::gather(
        folder,
        &read.recordings,
        &read.listed,
        &samples,
        order.hz,
        &cpus,
        hotplug,
    )?;
    let (missing, mended) = unseen::mend(folder, &read.recordings)?;
    given.missing = missing;
    given.inputs.run_state.switches = mended.switches;
    let indexed = index::index(
        folder,
        &read.recordings,
        pauses,
        config,
        given,
        budget,
        progress,
    )?;
    notes.extend(indexed.notes);
    notes.extend(gathered.mended(mended));
    notes.extend(gathered.offline(window.origin_ns));
    gathered.write_instants(folder, &indexed.groups, budget)?;
    let replayed = !read.recordings.is_empty();
    let evidence = replayed.then(|| gathered.evidence(&indexed.stats));
    let ilb = replayed.then(|| Ilb {
        kinds: indexed.idle_balancing.numbers().collect(),
        jiffies: indexed.jiffies,
        kernel: read.listed.iter().find_map(ilb::release),
    });
    let manifest = Manifest {
        schema: SCHEMA,
        created_by: format!("numalens {}", env!("CARGO_PKG_VERSION")),
        reference: align::reference(&placement, read.clock_name(placement.reference)),
        inputs: read.listed,
        origin_ns: window.origin_ns,
        end_ns: window.end_ns,
        window_ns: window.common_ns,
        topology,
        event_counts: counts(&read.recordings),
        tables: read
            .recordings
            .into_iter()
            .flat_map(Decoded::into_tables)
            .collect(),
        samples,
        tasks: indexed.tasks,
        replay: indexed.stats,
        evidence,
        numa: replayed.then_some(indexed.numa),
        ilb,
        notes,
    };
    write(&manifest, folder)
}

/// Rows by event.
fn counts(recordings: &[Decoded]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for table in recordings.iter().flat_map(|decoded| &decoded.tables) {
        *counts.entry(table.event.clone()).or_default() += table.rows;
    }
    counts
}

/// Puts the manifest next to what it describes, and gives it as JSON.
fn write(manifest: &Manifest, folder: &Path) -> Result<String, Error> {
    let json =
        serde_json::to_string_pretty(manifest).map_err(|error| Error::Bundle(error.to_string()))?;
    let path = folder.join(MANIFEST);
    std::fs::write(&path, &json).map_err(|error| named(&path, &error))?;
    Ok(json)
}

/// Moves everything onto the reference clock and writes what depends on it.
fn put_in_place(
    read: &mut Read,
    placement: &Placement,
    times: &[Times],
    folder: &Path,
    budget: &Budget,
) -> Result<Vec<SampleTable>, Error> {
    let entries = placement.inputs.iter().zip(times);
    for (at, ((placed, times), input)) in entries.zip(&mut read.listed).enumerate() {
        let clock = input
            .recording
            .as_ref()
            .and_then(|recording| recording.clock.clone());
        input.alignment = align::describe(placed, times, clock.as_deref());
        let still =
            |span: &numalens_core::clock::Span| span.offset_ns() == 0 && span.drift_ppb == 0;
        let span = placed.span.filter(|span| !still(span));
        let decoded = read
            .recordings
            .iter_mut()
            .find(|decoded| decoded.input as usize == at);
        if let (Some(span), Some(recording), Some(decoded)) =
            (span, input.recording.as_mut(), decoded)
        {
            align::shift(folder, recording, decoded, &span, budget)?;
        }
        let lost = placed.span.is_none();
        if lost
            && input
                .recording
                .as_ref()
                .is_some_and(|recording| recording.events > 0)
        {
            read.notes.push(format!(
                "{}: nothing tells how its clock relates to the others; its times are shown as they are.",
                input.name
            ));
        }
    }
    for decoded in &read.recordings {
        decode::write_lost(folder, decoded.input, &decoded.lost, budget)?;
    }
    let collected: Vec<_> = read
        .collected
        .iter()
        .map(|collected| {
            let placed = &placement.inputs[collected.input as usize];
            let place = placed.clock.clone().zip(placed.span);
            (collected, place)
        })
        .collect();
    samples::place(folder, &collected, budget)
}
