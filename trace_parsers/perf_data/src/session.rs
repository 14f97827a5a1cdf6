//! State of a read, and the walk over the records.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use linux_perf_event_reader::RecordType;
use numalens_columns::{
    BufferInfo, ByteSource, DecodeError, EventSink, InputError, ReadOptions, Recording,
    RecordingInfo,
};
use numalens_event_format::Endian;

use crate::attrs::{Attr, Attrs};
use crate::bytes::HEADER;
use crate::features;
use crate::inflate::Inflater;
use crate::mappings::MappingReader;
use crate::output::Output;
use crate::queue::{Base, Blocks, Entry, Queue};
use crate::switches::Switches;
use crate::tracing::Formats;

/// Larger record types than this are damage; the tools' own begin at 64 and at 32768.
const TYPES: u32 = 1 << 16;
/// Progress is reported and bytes are given back in steps of this size.
const STEP: usize = 1 << 20;

/// Note about a recording with messages of perf in it.
const MESSAGES: &str = "messages of perf between the records (perf record -o - 2>&1) were left out";

/// Names of perf's own records; those of the kernel come from the library.
pub(crate) mod kind {
    pub(crate) const HEADER_ATTR: u32 = 64;
    pub(crate) const TRACING_DATA: u32 = 66;
    pub(crate) const HEADER_BUILD_ID: u32 = 67;
    pub(crate) const FINISHED_ROUND: u32 = 68;
    pub(crate) const ID_INDEX: u32 = 69;
    pub(crate) const AUXTRACE: u32 = 71;
    pub(crate) const THREAD_MAP: u32 = 73;
    pub(crate) const SWITCH: u32 = 14;
    pub(crate) const SWITCH_CPU_WIDE: u32 = 15;
    pub(crate) const COMM: u32 = 3;
    pub(crate) const EVENT_UPDATE: u32 = 78;
    pub(crate) const HEADER_FEATURE: u32 = 80;
    pub(crate) const COMPRESSED: u32 = 81;
    pub(crate) const COMPRESSED2: u32 = 83;
}

/// The state of a read.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Session<'a> {
    source: &'a dyn ByteSource,
    pub(crate) endian: Endian,
    tolerant: bool,
    pub(crate) attrs: Attrs,
    pub(crate) formats: Formats,
    pub(crate) info: RecordingInfo,
    pub(crate) queue: Queue,
    pub(crate) blocks: Blocks,
    pub(crate) inflater: Inflater,
    /// Start of a record at the end of the last inflated block.
    pub(crate) rest: Vec<u8>,
    /// Inflated bytes are missing: where the next record begins is not known.
    pub(crate) lost_sync: bool,
    /// Entries that the block being walked has put into the queue.
    pub(crate) in_block: u32,
    /// Entries that rounds within the block being walked have handed out.
    pub(crate) ready: Vec<Entry>,
    /// CPU of each id, if recorded.
    pub(crate) cpu_of_id: HashMap<u64, u32>,
    /// Lost samples that perf counted without a CPU.
    pub(crate) lost_anywhere: u64,
    pub(crate) mappings: MappingReader,
    pub(crate) switches: Switches,
    pub(crate) out: Output<'a>,
    /// Columns of the current sample that are not adjacent.
    pub(crate) scratch: Vec<u8>,
    pub(crate) without_cpu: bool,
    /// The file ends before the records do.
    pub(crate) cut: bool,
    /// Records that are not events, by type.
    others: BTreeMap<u32, u64>,
    released: usize,
}

/// Reason for which a record could not be read.
pub(crate) enum Trouble {
    /// Invalid header, or a record beyond the end: the next record must be searched.
    Header(InputError),
    /// The bytes end within it.
    Cut(InputError),
    /// Damaged record, and the start of the next one.
    Record(InputError, usize),
    /// End of the read.
    Stop(DecodeError),
}

impl From<DecodeError> for Trouble {
    fn from(error: DecodeError) -> Self {
        Self::Stop(error)
    }
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        source: &'a dyn ByteSource,
        endian: Endian,
        options: ReadOptions,
        sink: &'a mut dyn EventSink,
    ) -> Self {
        let mut session = Self {
            source,
            endian,
            tolerant: options.tolerant,
            attrs: Attrs::default(),
            formats: Formats::default(),
            info: RecordingInfo::default(),
            queue: Queue::default(),
            blocks: Blocks::default(),
            inflater: Inflater::default(),
            rest: Vec::new(),
            lost_sync: false,
            in_block: 0,
            ready: Vec::new(),
            cpu_of_id: HashMap::new(),
            lost_anywhere: 0,
            mappings: MappingReader::default(),
            switches: Switches::default(),
            out: Output::new(sink),
            scratch: Vec::new(),
            without_cpu: false,
            cut: false,
            others: BTreeMap::new(),
            released: 0,
        };
        session.fact("endian", endian.name());
        session
    }

    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.source.bytes()
    }

    pub(crate) fn length(&self) -> u64 {
        self.bytes().len() as u64
    }

    pub(crate) fn fact(&mut self, name: &str, value: &str) {
        self.info.facts.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn note(&mut self, sentence: &str) {
        features::note(&mut self.info.notes, sentence.to_owned());
    }

    /// Bytes of the file that hold `what`.
    pub(crate) fn slice(&self, range: Range<u64>, what: &str) -> Result<&'a [u8], InputError> {
        let (start, end) = (range.start as usize, range.end as usize);
        let slice = (range.end <= self.length()).then(|| self.bytes().get(start..end));
        slice.flatten().ok_or_else(|| {
            InputError::at_byte(
                self.length(),
                format!("{what} at byte {}", range.start),
                "the end of the file",
            )
        })
    }

    /// Ends a strict reading; a tolerant one leaves the bytes out and marks the gap.
    pub(crate) fn damage(
        &mut self,
        error: &InputError,
        range: Range<u64>,
        cpu: Option<u32>,
    ) -> Result<(), DecodeError> {
        if !self.tolerant {
            return Err(error.clone().into());
        }
        // What should be behind the file's end is reported at its last byte.
        let last = self.length().saturating_sub(1);
        let start = range.start.min(last);
        let end = range.end.min(last + 1).max(start + 1);
        Ok(self.out.skip(error, start..end, cpu)?)
    }

    /// Adds an event with the bytes of its ids, or says what was expected.
    pub(crate) fn add_attr(&mut self, attr: Attr, ids: &[u8]) -> Result<(), String> {
        let endian = self.endian;
        let ids = ids.chunks_exact(8).map(|id| endian.u64(id, 0));
        self.attrs.add(attr, ids)
    }

    pub(crate) fn feature(&mut self, feature: u32, bytes: &[u8]) {
        if feature == features::BUILD_ID {
            self.mappings.build_ids(bytes, self.endian);
            return;
        }
        features::apply(feature, bytes, self.endian, &mut self.info, &mut self.attrs);
    }

    /// The section of event formats, at `place`.
    pub(crate) fn formats(&mut self, bytes: &[u8], place: u64) -> Result<(), DecodeError> {
        match self.formats.read(bytes, place) {
            Ok(notes) => {
                for sentence in notes {
                    self.note(&sentence);
                }
                Ok(())
            }
            Err(error) => {
                let at = error.place.number();
                let end = place + bytes.len() as u64;
                self.damage(&error, at..end.max(at + 1), None)
            }
        }
    }

    /// Walks the records in these bytes of the file. `killed`: the recorder was ended and the last record may be cut.
    pub(crate) fn run(
        &mut self,
        range: Range<usize>,
        killed: bool,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<(), DecodeError> {
        let total = range.len() as u64;
        let bytes = self.bytes();
        let bytes = &bytes[..range.end];
        let (mut at, mut reported) = (range.start, range.start);
        self.released = range.start;
        while at < bytes.len() {
            at = match self.record(bytes, at, Base::File) {
                Ok(next) => next,
                Err(Trouble::Cut(_)) if killed => {
                    self.note("the last record is cut and was left out");
                    self.cut = true;
                    break;
                }
                Err(trouble) => {
                    if let Some(next) = after_message(bytes, at) {
                        if self.info.notes.iter().all(|note| note != MESSAGES) {
                            self.note(MESSAGES);
                        }
                        next
                    } else {
                        self.cut |= matches!(trouble, Trouble::Cut(_));
                        self.step_over(trouble, bytes, at, Base::File)?
                    }
                }
            };
            if at >= reported + STEP {
                reported = at;
                progress((at - range.start) as u64, total);
                self.give_back(at);
            }
        }
        progress(total, total);
        if !self.rest.is_empty() && !killed {
            let error = InputError::at_byte(
                bytes.len() as u64,
                "the rest of a compressed record",
                "the end of the records",
            );
            let end = bytes.len() as u64;
            self.damage(&error, end.saturating_sub(1)..end, None)?;
        }
        let all = self.queue.all();
        self.flush(&all)?;
        if self.cut {
            // What the last round had of each CPU is not known.
            self.out.gap_everywhere();
        }
        Ok(())
    }

    /// Decides where to continue after an unreadable record.
    pub(crate) fn step_over(
        &mut self,
        trouble: Trouble,
        bytes: &[u8],
        at: usize,
        base: Base,
    ) -> Result<usize, DecodeError> {
        let (error, next) = match trouble {
            Trouble::Stop(error) => return Err(error),
            Trouble::Record(error, next) => (error, next),
            Trouble::Header(error) | Trouble::Cut(error) if self.tolerant => {
                (error, self.next_record(bytes, at + 1))
            }
            Trouble::Header(error) | Trouble::Cut(error) => (error, bytes.len()),
        };
        let range = match base {
            Base::File => at as u64..next as u64,
            Base::Block(_, place) => place..place + 1,
        };
        self.damage(&error, range, None)?;
        Ok(next)
    }

    /// One record; gives where the next one begins.
    #[inline]
    pub(crate) fn record(&mut self, bytes: &[u8], at: usize, base: Base) -> Result<usize, Trouble> {
        let Some((kind, misc, size)) = self.header(bytes, at) else {
            return Err(Trouble::Cut(Self::error(
                base,
                at,
                "a record",
                "only its start",
            )));
        };
        if size < HEADER || kind >= TYPES {
            let found = format!("one of type {kind} and {size} bytes");
            return Err(Trouble::Header(Self::error(base, at, "a record", &found)));
        }
        let Some(body) = bytes.get(at + HEADER..at + size) else {
            let found = format!("the end after {}", bytes.len() - at);
            let wanted = format!("a record of {size} bytes");
            return Err(Trouble::Cut(Self::error(base, at, &wanted, &found)));
        };
        if kind == RecordType::SAMPLE.0 {
            self.sample(body, at, base)?;
            return Ok(at + size);
        }
        self.other(kind, misc, bytes, at, body, base)
    }

    /// Type, flags and size of the record at `at`.
    #[inline]
    pub(crate) fn header(&self, bytes: &[u8], at: usize) -> Option<(u32, u16, usize)> {
        let header = bytes.get(at..at + HEADER)?;
        let endian = self.endian;
        let size = endian.u16(header, 6);
        Some((
            endian.u32(header, 0),
            endian.u16(header, 4),
            usize::from(size),
        ))
    }

    /// An error about the record at `at`.
    #[cold]
    pub(crate) fn error(base: Base, at: usize, expected: &str, found: &str) -> InputError {
        match base {
            Base::File => InputError::at_byte(at as u64, expected, found),
            Base::Block(_, place) => InputError::at_byte(
                place,
                format!("{expected} in the compressed data"),
                format!("{found} at byte {at} of the block"),
            ),
        }
    }

    pub(crate) fn count_other(&mut self, kind: u32) {
        *self.others.entry(kind).or_default() += 1;
    }

    /// Gives back the bytes of the file that nothing needs any more.
    fn give_back(&mut self, at: usize) {
        let first = self.queue.first_byte().map_or(at, |first| first as usize);
        let until = first.min(at);
        if until >= self.released + STEP {
            self.source.release(self.released..until);
            self.released = until;
        }
    }

    /// The recording, when all records are read.
    pub(crate) fn finish(mut self) -> Result<Recording, DecodeError> {
        let others: Vec<String> = self.others.iter().filter_map(named).collect();
        if !others.is_empty() {
            self.fact("other_records", &others.join(", "));
        }
        if self.lost_anywhere > 0 {
            let lost = self.lost_anywhere;
            self.note(&format!("perf lost {lost} samples (CPU unknown)"));
        }
        let without_format = self.out.without_format();
        if without_format > 0 {
            self.note(&format!(
                "the file has no format for {without_format} tracepoints: their records are kept as bytes"
            ));
        }
        if self.others.contains_key(&kind::AUXTRACE) {
            self.note(
                "processor traces are not decoded; perf inject --itrace makes samples of SPE traces",
            );
        }
        if self.out.has_switches() {
            self.note(
                "switches are those of PERF_RECORD_SWITCH, which has no priorities and no states: a task that was not preempted counts as asleep",
            );
        }
        if self.without_cpu {
            self.note("samples without a CPU are shown on CPU 0");
        }
        let left_out = self.mappings.left_out;
        if left_out > 0 {
            self.note(&format!(
                "{left_out} memory mappings beyond the limit were dropped: addresses in them are not symbolized"
            ));
        }
        let mut info = self.info;
        info.some_tasks |= self.attrs.list().iter().any(|attr| attr.of_command);
        let clock = self.attrs.list().first().map(|attr| {
            attr.clock
                .map_or_else(|| "perf".to_owned(), features::clock_name)
        });
        let summary = self.out.finish()?;
        let seen = summary.cpu_spans.last().map_or(0, |span| span.cpu + 1);
        info.cpus = info.cpus.max(seen);
        info.resolution_ns = 1;
        info.buffers = vec![BufferInfo {
            index: 0,
            name: String::new(),
            clock: clock.clone(),
        }];
        info.clock = clock;
        Ok(Recording {
            info,
            summary,
            mappings: self.mappings.finish(),
            ..Recording::default()
        })
    }
}

/// End of a line of text that begins at `at`, such as `[ perf record: Woken up 1 times to write data ]`: records are not
/// text.
#[cold]
fn after_message(bytes: &[u8], at: usize) -> Option<usize> {
    const SHORTEST: usize = 16;
    const LONGEST: usize = 1024;
    let rest = &bytes[at..];
    let rest = &rest[..rest.len().min(LONGEST)];
    let end = rest.iter().position(|&byte| byte == b'\n');
    // The last line may be cut.
    let end = end.or((at + rest.len() == bytes.len()).then_some(rest.len()))?;
    let text = rest[..end].trim_ascii_end();
    let printable = |byte: &u8| byte.is_ascii_graphic() || *byte == b' ';
    (text.len() >= SHORTEST && text.iter().all(printable)).then_some(bytes.len().min(at + end + 1))
}

/// A count of the kernel's records; those that perf makes up are of no interest.
fn named((&kind, count): (&u32, &u64)) -> Option<String> {
    let name = format!("{:?}", RecordType(kind));
    (RecordType(kind).is_builtin_type() && !name.contains(' ')).then(|| format!("{name} {count}"))
}
