//! The one list of the formats that are read: their names, how each is recognised, and its reader.
//!
//! [`FORMATS`] is the list. [`Found::of`] says by the first bytes what a file is: one of these formats, or an archive of
//! such files. [`is_note`] says which other files may lie next to inputs.
//!
//! Inputs are taken through this list, and no caller names a format. [`SPREAD`] has the formats that several files of a folder make up. The
//! bytes of any one format belong to its crate, and files are opened elsewhere. To add a format: `docs/adding/README.md`.

mod foreign;
mod note;

use std::io::Write;

use numalens_archive::ArchiveKind;
use numalens_columns::{
    ByteSource, DecodeError, EventSink, InputError, ReadOptions, Recording as Decoded, Symbols,
};
use numalens_elf::Program;
use numalens_ftrace_text::TextKind;
use numalens_samples::{SampleKind, SampleSink, SampleSummary};
use numalens_topology::Topology;
use serde::{Serialize, Serializer};

pub use self::note::is_note;

/// Number of inspected bytes for detecting the format of an input.
const HEAD: usize = 64 << 10;

/// Reads the events of a recording into a sink; progress is given bytes done and bytes in all.
pub type Decode = fn(
    &dyn ByteSource,
    &ReadOptions,
    &mut dyn EventSink,
    &mut dyn FnMut(u64, u64),
) -> Result<Decoded, DecodeError>;

/// Reads a file of samples; its name is a hint where the text does not say what it is about.
pub type ReadSamples = fn(
    &dyn ByteSource,
    &str,
    &ReadOptions,
    &mut dyn SampleSink,
    &mut dyn FnMut(u64, u64),
) -> Result<SampleSummary, DecodeError>;

/// Content of a format, and the function that reads it.
#[derive(Debug, Clone, Copy)]
pub enum Reader {
    /// Events.
    Recording(Decode),
    /// Events that another program reads out of the file; what is decoded are that program's answers.
    Answers(Decode),
    /// Samples.
    Samples(ReadSamples),
    /// Nodes of CPUs.
    Topology(fn(&[u8]) -> Result<Topology, InputError>),
    /// The kernel's functions, for recordings that have none of their own: the text of `/proc/kallsyms`.
    Symbols,
    /// A program's, library's, module's or kernel's functions, for the recordings that ran it.
    Program(fn(&[u8]) -> Result<Program, InputError>),
}

/// A format.
#[derive(Debug)]
pub struct Format {
    /// Name in manifest and report.
    pub name: &'static str,
    /// Content and reader.
    pub reader: Reader,
    /// The recorder begins on one CPU after the other: a CPU is recorded from its own first event on. Otherwise all are
    /// from the first event of any.
    pub cpu_by_cpu: bool,
    /// Words in the message about files of an unknown format; empty where another's include it.
    words: &'static str,
    /// Returns whether a file begins like it. The first format of the list that does is the file's.
    sniff: fn(&[u8]) -> bool,
}

/// All formats, in the order in which they are tried: those with a magic come before texts, which are recognised by their
/// grammar.
pub static FORMATS: &[Format] = &[
    recording(
        "trace.dat",
        "trace.dat",
        numalens_trace_dat::sniff,
        numalens_trace_dat::decode,
    ),
    // A perf.data of another kind: it is tried first.
    Format {
        name: "perf-sched-stats",
        reader: Reader::Samples(numalens_samples::read_perf),
        cpu_by_cpu: false,
        words: "",
        sniff: numalens_samples::sniff_perf,
    },
    recording(
        "perf.data",
        "perf.data",
        numalens_perf_data::sniff,
        numalens_perf_data::decode,
    )
    .cpu_by_cpu(),
    Format {
        name: "topology",
        reader: Reader::Topology(numalens_topology::parse),
        cpu_by_cpu: false,
        words: "lscpu -p, numactl -H, sysfs, hwloc",
        sniff: |head| numalens_topology::sniff(head).is_some(),
    },
    Format {
        name: "kallsyms",
        reader: Reader::Symbols,
        cpu_by_cpu: false,
        words: "kallsyms",
        sniff: Symbols::sniff,
    },
    Format {
        name: "elf",
        reader: Reader::Program(numalens_elf::parse),
        cpu_by_cpu: false,
        words: "ELF",
        sniff: numalens_elf::sniff,
    },
    samples("psi", "pressure", |head| of(head, SampleKind::Psi)),
    samples("vmstat", "vmstat", |head| of(head, SampleKind::Vmstat)),
    samples("numa-group", "numa_group", |head| {
        of(head, SampleKind::NumaGroup)
    }),
    samples("automig", "automigration", |head| {
        of(head, SampleKind::Automig)
    }),
    samples("numa-maps", "numa_maps", |head| {
        of(head, SampleKind::NumaMaps)
    }),
    samples("proc-sched", "sched", |head| {
        of(head, SampleKind::ProcSched)
    }),
    samples("cgroup-map", "cgroups", |head| {
        of(head, SampleKind::CgroupMap)
    }),
    recording(
        "ftrace-text",
        "ftrace or perf script text",
        |head| numalens_ftrace_text::sniff(head) == Some(TextKind::Ftrace),
        numalens_ftrace_text::decode,
    ),
    recording(
        "perf-script",
        "",
        |head| numalens_ftrace_text::sniff(head) == Some(TextKind::PerfScript),
        numalens_ftrace_text::decode,
    )
    .cpu_by_cpu(),
    recording(
        "lttng-text",
        "text of babeltrace2 (LTTng)",
        |head| numalens_ftrace_text::sniff(head) == Some(TextKind::Lttng),
        numalens_ftrace_text::decode,
    ),
    Format {
        name: "perfetto",
        reader: Reader::Answers(decode_answers),
        cpu_by_cpu: false,
        words: "Perfetto",
        sniff: numalens_perfetto_rows::sniff,
    },
    Format {
        name: "benchmark",
        reader: Reader::Samples(numalens_samples::read_benchmark),
        cpu_by_cpu: false,
        words: "results of benchmarks",
        sniff: numalens_samples::sniff_benchmark,
    },
    // Any table with the right columns is one: it is tried last.
    Format {
        name: "requests",
        reader: Reader::Samples(numalens_samples::read_requests),
        cpu_by_cpu: false,
        words: "logs of requests",
        sniff: numalens_requests::sniff,
    },
];

/// Writes files, given by their names and bytes, as one file, which has at most so many bytes more than they have.
pub type Join = fn(&[(&str, &[u8])], u64, &mut dyn Write) -> Result<(), DecodeError>;

/// Several files of a folder that are read as one file of a format.
#[derive(Debug)]
pub struct Spread {
    /// The name of that format.
    pub format: &'static str,
    /// Groups of these file names that belong together; names have `/` between folders. The first of each identifies the
    /// whole.
    pub sets: fn(&[&str]) -> Vec<Vec<usize>>,
    /// Makes one file of them.
    pub join: Join,
}

/// All that is spread over a folder.
pub static SPREAD: &[Spread] = &[
    Spread {
        format: "trace.dat",
        sets: numalens_trace_dat::sets,
        join: numalens_trace_dat::join,
    },
    Spread {
        format: "perf.data",
        sets: numalens_perf_data::sets,
        join: numalens_perf_data::join,
    },
    Spread {
        format: "topology",
        sets: numalens_topology::sets,
        join: numalens_topology::join,
    },
];

#[cfg(not(target_family = "wasm"))]
use numalens_perfetto_rows::decode as decode_answers;

/// A page has no trace processor whose answers it could read, nor has its module the room for their reader.
#[cfg(target_family = "wasm")]
fn decode_answers(
    _: &dyn ByteSource,
    _: &ReadOptions,
    _: &mut dyn EventSink,
    _: &mut dyn FnMut(u64, u64),
) -> Result<Decoded, DecodeError> {
    let found = "a Perfetto trace, which a page cannot read";
    Err(InputError::at_byte(0, "a recording of another format", found).into())
}

const fn recording(
    name: &'static str,
    words: &'static str,
    sniff: fn(&[u8]) -> bool,
    decode: Decode,
) -> Format {
    Format {
        name,
        reader: Reader::Recording(decode),
        cpu_by_cpu: false,
        words,
        sniff,
    }
}

const fn samples(name: &'static str, words: &'static str, sniff: fn(&[u8]) -> bool) -> Format {
    Format {
        name,
        reader: Reader::Samples(numalens_samples::read),
        cpu_by_cpu: false,
        words,
        sniff,
    }
}

fn of(head: &[u8], kind: SampleKind) -> bool {
    numalens_samples::sniff(head) == Some(kind)
}

impl Format {
    const fn cpu_by_cpu(self) -> Self {
        Self {
            cpu_by_cpu: true,
            ..self
        }
    }

    /// Returns whether the format has events.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        matches!(self.reader, Reader::Recording(_) | Reader::Answers(_))
    }
}

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// Kind of a file.
#[derive(Debug, Clone, Copy)]
pub enum Found {
    /// Input of this format.
    Input(&'static Format),
    /// Archive of this kind.
    Archive(ArchiveKind),
}

impl Found {
    /// Returns the kind of a file by its first bytes; `None` for an unknown format.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let head = &bytes[..bytes.len().min(HEAD)];
        if let Some(archive) = numalens_archive::sniff(bytes) {
            return Some(Self::Archive(archive));
        }
        // One of simpleperf begins like one of perf.
        if foreign::simpleperf(head) {
            return None;
        }
        let format = FORMATS.iter().find(|format| (format.sniff)(head));
        format.map(Self::Input)
    }

    /// The same.
    ///
    /// # Errors
    /// The format is not supported; the message names it and an alternative, or lists the supported formats.
    pub fn expect(bytes: &[u8]) -> Result<Self, InputError> {
        Self::of(bytes).ok_or_else(|| {
            Self::named(bytes)
                .unwrap_or_else(|| InputError::at_byte(0, expected(), first_bytes(bytes)))
        })
    }

    /// Names the kind of a file that is not read, and says what to give instead; `None` when the kind is not known.
    #[must_use]
    pub fn named(bytes: &[u8]) -> Option<InputError> {
        foreign::unread(&bytes[..bytes.len().min(HEAD)])
    }
}

/// Supported inputs, in words.
fn expected() -> String {
    let words = |wanted: fn(&Format) -> bool| {
        let formats = FORMATS.iter().filter(|format| wanted(format));
        let words = formats.map(|format| format.words);
        let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
        words.join(", ")
    };
    format!(
        "a recording ({}), samples ({}), a topology ({}), symbols ({}) or an archive of these",
        words(Format::is_recording),
        words(|format| matches!(format.reader, Reader::Samples(_))),
        words(|format| matches!(format.reader, Reader::Topology(_))),
        words(|format| matches!(format.reader, Reader::Symbols | Reader::Program(_))),
    )
}

/// Start of the input, for an error message.
fn first_bytes(bytes: &[u8]) -> String {
    const SHOWN: usize = 8;
    const LETTERS: usize = 40;
    const KNOWN: [(&[u8], &str); 2] = [
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
        (b"BZh", "bzip2, which a page cannot read"),
    ];
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, what)) = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return (*what).to_owned();
    }
    // A letter may be cut by the end of what is looked at.
    let head = &bytes[..bytes.len().min(2 * LETTERS)];
    let text = String::from_utf8_lossy(head);
    let line = text.lines().next().unwrap_or("");
    let odd = |c: char| c == char::REPLACEMENT_CHARACTER || c.is_control();
    if !line.is_empty()
        && !text
            .trim_end_matches(char::REPLACEMENT_CHARACTER)
            .contains(|c: char| odd(c) && !c.is_whitespace())
    {
        let begin: String = line.chars().take(LETTERS).collect();
        return format!("text that begins \"{begin}\"");
    }
    let shown: Vec<String> = bytes
        .iter()
        .take(SHOWN)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("the bytes {}", shown.join(" "))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_name_stands_for_one_format() {
        let names: BTreeSet<&str> = FORMATS.iter().map(|format| format.name).collect();
        assert_eq!(names.len(), FORMATS.len());
    }

    #[test]
    fn a_file_of_no_format_hears_what_is_read() {
        let error = Found::expect(b"hello").unwrap_err();
        let sentence = error.to_string();
        assert!(sentence.starts_with("byte 0: expected a recording (trace.dat, "));
        assert!(sentence.ends_with("archive of these, found text that begins \"hello\""));
        let sentence = Found::expect(b"hello\0\x01").unwrap_err().to_string();
        assert!(sentence.ends_with("found the bytes 68 65 6c 6c 6f 00 01"));
        for format in FORMATS {
            assert!(sentence.contains(format.words), "{sentence}");
        }
    }

    #[test]
    fn the_first_format_that_fits_is_the_files() {
        let name = |bytes: &[u8]| match Found::of(bytes) {
            Some(Found::Input(format)) => format.name,
            Some(Found::Archive(kind)) => kind.name(),
            None => "nothing",
        };
        assert_eq!(name(b"\x17\x08\x44tracing6\0\0\0\x08"), "trace.dat");
        assert_eq!(name(b"PERFILE2\x10"), "perf.data");
        assert_eq!(name(b"PK\x03\x04"), "zip");
        assert_eq!(
            name(b"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"),
            "psi"
        );
        assert_eq!(
            name(b"# CPU,Core,Socket,Node,,L1d\n0,0,0,0,,0\n"),
            "topology"
        );
        assert_eq!(name(b"hello"), "nothing");
    }
}
