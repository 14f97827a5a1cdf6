//! All inputs, each read by the reader of its kind.

use numalens_columns::{DecodeError, InputError, ReadOptions, Skipped, Symbols};
use numalens_core::clock::Times;
use numalens_core::topology::{Learner, MemoryRange, Sharing, Source, StatedTopology};
use numalens_formats::{Found, ReadSamples, Reader};
use numalens_topology::Topology;

use super::decode::{self, Decoded, SniffedInput};
use super::files::Folder;
use super::limits::{Part, Progress};
use super::programs::Programs;
use super::samples::{Collected, Collector};
use super::{IngestRequest, Input, align};
use crate::bundle::{Left, Sampled};
use crate::error::Error;

/// Left-out parts that the manifest lists for each input.
const MOST_LISTED: usize = 100;

/// Results of all inputs.
#[derive(Default)]
pub(super) struct Read {
    pub(super) listed: Vec<Input>,
    pub(super) recordings: Vec<Decoded>,
    pub(super) collected: Vec<Collected>,
    pub(super) known: Vec<StatedTopology>,
    pub(super) learner: Learner,
    /// The kernel's functions, where a file of them came along, and its name.
    pub(super) kernel: Option<(String, Symbols)>,
    /// Programs, libraries and the like that came along.
    pub(super) programs: Programs,
    pub(super) notes: Vec<String>,
}

/// Content that a tolerant read expects to find.
const WHOLE: &str = "events or samples outside of what is damaged";

impl Read {
    pub(super) fn inputs(
        request: &IngestRequest<'_>,
        folder: Folder<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<Self, Error> {
        // All inputs are looked at first: one that cannot be read is reported before the others are decoded.
        let looked = look(request)?;
        let total = looked.iter().map(|input| input.bytes).sum();
        let mut read = Self::default();
        let mut done = 0;
        for input in looked {
            let part = progress.part("decoding", done, input.bytes, total);
            done += input.bytes;
            read.input(&input, request.options, folder, part)?;
        }
        if let Some(error) = read.nothing() {
            return Err(error);
        }
        Ok(read)
    }

    /// Learns the topology from the events of all recordings.
    pub(super) fn learn(&mut self) {
        for decoded in &self.recordings {
            self.learner.absorb(&decoded.learner);
        }
    }

    /// The damage, when it left nothing to look at: an empty analysis would hide it.
    fn nothing(&self) -> Option<Error> {
        let holds = |input: &Input| {
            let events = input.recording.as_ref().map_or(0, |one| one.events);
            let samples = input.samples.as_ref().map_or(0, |one| one.samples);
            events > 0 || samples > 0
        };
        if self.listed.iter().any(holds) {
            return None;
        }
        let mut damaged = self.listed.iter().filter(|input| !input.skipped.is_empty());
        let input = damaged.next()?;
        let left = input.skipped.first()?;
        let found = format!("none: {}", left.why);
        let error = match left.unit {
            "line" => InputError::at_line,
            _ => InputError::at_byte,
        };
        Some(Error::input(&input.name, error(left.from, WHOLE, found)))
    }

    fn input(
        &mut self,
        input: &SniffedInput<'_>,
        options: ReadOptions,
        folder: Folder<'_>,
        progress: Part<'_, '_>,
    ) -> Result<(), Error> {
        let at = self.listed.len() as u32;
        let mut listed = Input {
            name: input.name.to_owned(),
            kind: input.format,
            bytes: input.bytes,
            recording: None,
            samples: None,
            skipped: Vec::new(),
            skipped_more: 0,
            alignment: None,
        };
        match input.format.reader {
            Reader::Topology(parse) => {
                let topology = parse(input.source.bytes());
                let topology = topology.map_err(|error| Error::input(input.name, error))?;
                self.known.push(stated(input.name, topology));
            }
            Reader::Symbols => {
                let symbols = Symbols::new(input.source.bytes().to_vec());
                self.kernel = Some((input.name.to_owned(), symbols));
            }
            Reader::Program(parse) => self.programs.add(input.name, parse(input.source.bytes())),
            Reader::Samples(read) => {
                let notes = &mut self.notes;
                let (samples, collected) =
                    sampled(input, read, at, options, folder, notes, progress)?;
                (listed.skipped, listed.skipped_more) = left(&collected.skipped);
                listed.samples = Some(samples);
                self.collected.push(collected);
            }
            Reader::Recording(read) | Reader::Answers(read) => {
                let (recording, mut decoded) =
                    decode::decode(input, read, at, options, folder, progress)?;
                (listed.skipped, listed.skipped_more) = left(&decoded.skipped);
                listed.recording = Some(recording);
                if let Some(nodes) = decoded.nodes.take() {
                    self.known.push(StatedTopology {
                        name: input.name.to_owned(),
                        source: Source::Perf,
                        nodes,
                        distances: None,
                        sharing: Sharing::default(),
                        memory: std::mem::take(&mut decoded.memory)
                            .into_iter()
                            .map(|(nid, from, to)| MemoryRange { nid, from, to })
                            .collect(),
                    });
                }
                self.collected.extend(pressure(&mut decoded, folder)?);
                self.recordings.push(decoded);
            }
        }
        self.listed.push(listed);
        Ok(())
    }

    /// Clock information of every input, by position.
    pub(super) fn times(&self) -> Vec<Times> {
        (0_u32..)
            .zip(&self.listed)
            .map(|(at, input)| match (&input.recording, &input.samples) {
                (Some(recording), _) => align::of_recording(recording),
                (None, Some(samples)) => self
                    .collected
                    .iter()
                    .find(|collected| collected.input == at)
                    .map_or(Times::Timeless, |collected| {
                        align::of_samples(collected, samples.stamp_resolution_ns.unwrap_or(1))
                    }),
                (None, None) => Times::Timeless,
            })
            .collect()
    }

    /// The recording's own word for its clock.
    pub(super) fn clock_name(&self, input: Option<u32>) -> Option<&str> {
        let recording = self.listed.get(input? as usize)?.recording.as_ref()?;
        recording.clock.as_deref()
    }
}

fn look<'a>(request: &'a IngestRequest<'_>) -> Result<Vec<SniffedInput<'a>>, Error> {
    (0_u32..)
        .zip(&request.inputs)
        .map(|(at, (name, source))| {
            let source = &**source;
            let found = Found::expect(source.bytes());
            let format = match found.map_err(|error| Error::input(name, error))? {
                Found::Input(format) => format,
                Found::Archive(_) => {
                    return Err(unopened(name, "an archive that was unpacked before"));
                }
            };
            let bytes = source.bytes().len() as u64;
            let source = match (format.reader, request.rows.get(&at)) {
                (Reader::Answers(_), Some(rows)) => &**rows,
                (Reader::Answers(_), None) => {
                    return Err(unopened(
                        name,
                        "a Perfetto trace that the trace processor has read",
                    ));
                }
                _ => source,
            };
            Ok(SniffedInput {
                name,
                format,
                bytes,
                source,
            })
        })
        .collect()
}

/// A caller's slip, reported like any other rejected input.
fn unopened(name: &str, expected: &str) -> Error {
    Error::input(name, InputError::at_byte(0, expected, "the file itself"))
}

fn sampled(
    input: &SniffedInput<'_>,
    read: ReadSamples,
    at: u32,
    options: ReadOptions,
    folder: Folder<'_>,
    notes: &mut Vec<String>,
    mut progress: Part<'_, '_>,
) -> Result<(Sampled, Collected), Error> {
    folder.budget().input(input.name);
    let mut collector = Collector::new(at, folder);
    let result = read(
        input.source,
        input.name,
        &options,
        &mut collector,
        &mut |done, total| {
            progress.at(done, total);
        },
    );
    if let Some(raised) = progress.raised() {
        return Err(raised);
    }
    let summary = result.map_err(|error| match (collector.failed.take(), error) {
        (Some(failed), _) => failed,
        (None, DecodeError::Input(error)) => Error::input(input.name, error),
        (None, error) => Error::Bundle(format!("{}: {error}", input.name)),
    })?;
    let collected = collector.finish()?;
    notes.extend(
        summary
            .notes
            .into_iter()
            .map(|note| format!("{}: {note}", input.name)),
    );
    let samples = Sampled {
        samples: summary.samples,
        rows: collected.tables.values().sum(),
        tables: collected.tables.clone(),
        stamp_resolution_ns: summary.stamp_resolution_ns,
    };
    Ok((samples, collected))
}

/// The pressure that a sampler wrote into the trace, if it did.
fn pressure(decoded: &mut Decoded, folder: Folder<'_>) -> Result<Option<Collected>, Error> {
    let mut collector = Collector::new(decoded.input, folder);
    let lines = std::mem::take(&mut decoded.lines.pressure);
    lines.finish(&mut collector).map_err(|error| {
        let failed = collector.failed.take();
        failed.unwrap_or_else(|| Error::Bundle(error.to_string()))
    })?;
    let collected = collector.finish()?;
    Ok(Some(collected).filter(|collected| !collected.tables.is_empty()))
}

/// The parts for the manifest, and how many more there are.
fn left(skipped: &[Skipped]) -> (Vec<Left>, u64) {
    let listed = skipped.iter().take(MOST_LISTED).map(Left::from);
    let more = skipped.len().saturating_sub(MOST_LISTED) as u64;
    (listed.collect(), more)
}

/// The topology of a sidecar.
fn stated(name: &str, topology: Topology) -> StatedTopology {
    StatedTopology {
        name: name.to_owned(),
        source: Source::Sidecar,
        nodes: topology
            .nodes
            .into_iter()
            .map(|node| (node.nid, node.cpus))
            .collect(),
        distances: topology.distances,
        sharing: Sharing {
            cores: topology.sharing.cores,
            clusters: topology.sharing.clusters,
            llcs: topology.sharing.llcs,
            dies: topology.sharing.dies,
        },
        memory: Vec::new(),
    }
}
