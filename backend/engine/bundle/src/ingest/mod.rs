//! Inputs to a bundle.

mod align;
mod cut;
mod decode;
mod evidence;
mod files;
mod hardware;
mod host;
mod ilb;
mod index;
mod kernel_file;
mod limits;
mod lines;
mod memory;
mod noise;
mod numa;
mod programs;
mod read;
mod samples;
mod sink;
mod stacks;
mod unseen;
mod window;

use std::collections::BTreeMap;
use std::io::Write;

use numalens_columns::{ByteSource, ReadOptions};
use numalens_core::clock::{Placement, Times, place};
use numalens_core::topology::resolve;
use numalens_replay::evidence::CpuSpan;
use numalens_replay::run_state::Switches;
use numalens_replay::timeline::Config;

pub use self::cut::Cut;
use self::decode::Decoded;
use self::files::Folder;
use self::index::ReplayInputs;
use self::limits::Budget;
pub use self::limits::{Limits, Progress, ProgressCallback};
use self::read::Read;
use self::unseen::Mended;
use crate::bundle::{Ilb, Input, MANIFEST, Manifest, SCHEMA, SampleTable};
use crate::error::Error;
use crate::storage::Files;

/// Name and bytes of each input.
pub type Inputs<'a> = Vec<(String, Box<dyn ByteSource + 'a>)>;

/// Inputs and options of an ingest.
#[derive(Default)]
pub struct IngestRequest<'a> {
    /// The inputs.
    pub inputs: Inputs<'a>,
    /// For a Perfetto trace: the trace processor's answers, by position.
    pub rows: BTreeMap<u32, Box<dyn ByteSource + 'a>>,
    /// ns to add to an input's times, by position, as set by the user.
    pub offsets: BTreeMap<u32, i64>,
    /// Jiffies per second, as set by the user.
    pub hz: Option<u32>,
    /// Strictness.
    pub options: ReadOptions,
    /// Limits.
    pub limits: Limits,
    /// Part of the inputs that becomes part of the bundle.
    pub cut: Cut,
}

/// Imports the inputs into a bundle whose files must not exist yet, and returns the manifest as JSON.
///
/// # Errors
///
/// Fails when an input cannot be read, a limit is reached, a file cannot be written or the progress callback raises.
pub fn ingest(
    request: IngestRequest<'_>,
    files: &dyn Files,
    progress: &mut Progress<'_>,
) -> Result<String, Error> {
    let budget = Budget::new(request.limits);
    let helper = files.helper();
    let done = run(request, Folder::new(files, &budget), progress);
    // Also after an error: when this has returned, nothing more is written.
    let written = helper.wait().map_err(Error::from);
    match done.and_then(|manifest| written.map(|()| manifest)) {
        // A file that would grow too large fails like a full disk; the cap is the better sentence.
        Err(error) if !matches!(error, Error::Interrupted(_)) => {
            Err(budget.exceeded().unwrap_or(error))
        }
        done => done,
    }
}

fn run(
    mut request: IngestRequest<'_>,
    folder: Folder<'_>,
    progress: &mut Progress<'_>,
) -> Result<String, Error> {
    let mut read = Read::inputs(&request, folder, progress)?;
    host::apart(&mut read, folder)?;
    read.learn();
    // Where they lie in memory, their room is needed for what follows.
    request.inputs.clear();
    request.rows.clear();
    let times: Vec<Times> = read.times();
    let meetings = align::meetings(&read.recordings, &read.collected);
    let placement = place(&times, &meetings, &request.offsets);
    let mut samples = put_in_place(&mut read, &placement, &times, folder)?;
    let mut names = cut::apply(&request.cut, &mut read, &mut samples, &placement, folder)?;
    window::check(&read.listed, &samples)?;
    let hotplug = evidence::hotplug(folder, &read.recordings)?;
    let window = window::common(&read.listed, &read.recordings, &samples, &hotplug.offline);
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
        request.hz,
        &cpus,
        hotplug,
    )?;
    let mut mended = mend(folder, &read, &cpus, &mut given)?;
    notes.extend(mended.give(&mut given));
    let indexed = index::index(
        folder,
        &read.recordings,
        pauses,
        config,
        given,
        &samples,
        progress,
    )?;
    notes.extend(indexed.notes);
    notes.extend(gathered.mended(mended));
    notes.extend(gathered.offline(window.origin_ns));
    gathered.write_instants(folder, &indexed.groups)?;
    let replayed = !read.recordings.is_empty();
    let (stacks, memory_samples, remarks) = stacks::write(
        folder,
        &mut read.recordings,
        read.kernel.take(),
        std::mem::take(&mut read.programs),
    )?;
    notes.extend(remarks);
    let hardware = hardware::write(folder, &read.recordings)?;
    cut::seal(&mut names, &read.recordings, folder)?;
    let evidence = replayed.then(|| gathered.evidence(&indexed.stats, indexed.course));
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
        stacks: replayed.then_some(stacks),
        hardware: replayed.then_some(hardware),
        memory_samples: replayed.then_some(memory_samples),
        notes,
    };
    write(&manifest, folder)
}

/// Dates missing switches, and lets the replay know of CPUs without events.
fn mend(
    folder: Folder<'_>,
    read: &Read,
    cpus: &[u32],
    given: &mut ReplayInputs,
) -> Result<Mended, Error> {
    let (missing, mut mended) = unseen::mend(folder, &read.recordings)?;
    given.missing = missing;
    let (offline, silent) = window::silent(&window::heard(&read.listed), cpus, &read.known);
    given
        .recording_since
        .retain(|cpu, _| !offline.contains(cpu));
    let spans = offline.into_iter().map(|cpu| CpuSpan {
        cpu,
        from_ns: 0,
        to_ns: None,
    });
    given.inputs.run_state.offline.extend(spans);
    mended.silent = !silent.is_empty();
    if mended.silent || window::any_cut(&read.listed, &read.recordings) {
        // Tasks may have run there, and nothing shows it.
        mended.switches = Switches::Missing;
    }
    Ok(mended)
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
fn write(manifest: &Manifest, folder: Folder<'_>) -> Result<String, Error> {
    let json =
        serde_json::to_string_pretty(manifest).map_err(|error| Error::Bundle(error.to_string()))?;
    let mut manifest = folder.manifest(MANIFEST)?;
    manifest.write_all(json.as_bytes())?;
    manifest.flush()?;
    Ok(json)
}

/// Moves everything onto the reference clock and writes what depends on it.
fn put_in_place(
    read: &mut Read,
    placement: &Placement,
    times: &[Times],
    folder: Folder<'_>,
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
            align::shift(folder, recording, decoded, &span)?;
        }
        let lost = placed.span.is_none();
        if lost
            && input
                .recording
                .as_ref()
                .is_some_and(|recording| recording.events > 0)
        {
            read.notes.push(format!(
                "{}: its clock cannot be aligned with the others; its times are shown as they are.",
                input.name
            ));
        }
    }
    for decoded in &read.recordings {
        decode::write_lost(folder, decoded.input, &decoded.lost)?;
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
    samples::place(folder, &collected)
}
