//! Files of other programs that are not read, and what to do instead.

use numalens_columns::InputError;

/// A kind of file that is not read.
struct Foreign {
    sniff: fn(&[u8]) -> bool,
    /// Kind of the file.
    found: &'static str,
    /// Supported alternatives.
    expected: &'static str,
}

/// All that are known by name, besides trace text ([`numalens_ftrace_text::unread`]).
const FOREIGN: &[Foreign] = &[
    Foreign {
        sniff: |head| head.starts_with(b"PERFFILE") || head.starts_with(b"ELIFFREP"),
        found: "a perf.data of version 1 (before Linux 3.4)",
        expected: "a newer perf.data, or what the old perf prints by \"perf script -F +cpu\"",
    },
    Foreign {
        sniff: |head| head.starts_with(b"SIMPLEPERF") || simpleperf(head),
        found: "a recording of simpleperf",
        expected: "scheduler events as Perfetto, atrace or tracefs record them on Android",
    },
    Foreign {
        sniff: ctf,
        found: "a CTF trace",
        expected: "the text of babeltrace2 (babeltrace2 FOLDER > trace.txt)",
    },
    Foreign {
        sniff: |head| {
            first_lines(head).any(|line| {
                line.contains("task name")
                    && line.contains("wait time")
                    && line.contains("sch delay")
            })
        },
        found: "the table of perf sched timehist",
        expected: "the perf.data from which it was made",
    },
    Foreign {
        sniff: |head| {
            first_lines(head).any(|line| line.contains("Task ") && line.contains("| Switches |"))
        },
        found: "the table of perf sched latency",
        expected: "the perf.data from which it was made",
    },
    Foreign {
        sniff: |head| {
            head.trim_ascii_start().starts_with(b"{") && contains(head, b"\"traceEvents\"")
        },
        found: "Chrome JSON without it",
        expected: "Chrome JSON with ftrace text (systemTraceEvents), or a Perfetto trace",
    },
    Foreign {
        sniff: |head| {
            let start = head.trim_ascii_start().first_chunk::<5>();
            start.is_some_and(|start| {
                start.eq_ignore_ascii_case(b"<html") || start.eq_ignore_ascii_case(b"<!doc")
            })
        },
        found: "an HTML page without ftrace text",
        expected: "a page of systrace, or the trace itself",
    },
];

/// Names the kind of a file that is not read and says what to give instead; `None` when it is of no kind that is known.
pub(crate) fn unread(head: &[u8]) -> Option<InputError> {
    let foreign = FOREIGN.iter().find(|foreign| (foreign.sniff)(head));
    let words = foreign.map(|foreign| (foreign.expected.to_owned(), foreign.found.to_owned()));
    let (expected, found) = words.or_else(|| numalens_ftrace_text::unread(head))?;
    Some(InputError::at_byte(0, expected, found))
}

/// A perf.data with header features that simpleperf alone has: 128 and above, in the last 16 bytes of the feature bits.
pub(crate) fn simpleperf(head: &[u8]) -> bool {
    const BITS: std::ops::Range<usize> = 88..104;
    head.starts_with(b"PERFILE2\x68\0\0\0\0\0\0\0")
        && head
            .get(BITS)
            .is_some_and(|bits| bits.iter().any(|&byte| byte != 0))
}

/// A stream of CTF 1.8 by its packet's magic, or its metadata as packets or as text.
fn ctf(head: &[u8]) -> bool {
    const STREAM: u32 = 0xc1fc_1fc1;
    const METADATA: u32 = 0x75d1_1d57;
    let magic = head
        .first_chunk::<4>()
        .map(|&bytes| [u32::from_le_bytes(bytes), u32::from_be_bytes(bytes)]);
    magic.is_some_and(|orders| orders.contains(&STREAM) || orders.contains(&METADATA))
        || head.starts_with(b"/* CTF ")
}

fn first_lines(head: &[u8]) -> impl Iterator<Item = &str> {
    let lines = head.split(|&byte| byte == b'\n').take(8);
    lines.filter_map(|line| std::str::from_utf8(line).ok())
}

fn contains(head: &[u8], word: &[u8]) -> bool {
    head.windows(word.len()).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use crate::Found;

    #[test]
    fn foreign_files_are_named_in_a_short_sentence() {
        let mut simpleperf = b"PERFILE2\x68\0\0\0\0\0\0\0".to_vec();
        simpleperf.resize(104, 0);
        simpleperf[88] = 3;
        for (bytes, name) in [
            (&b"PERFFILE\x40\0\0\0"[..], "perf.data of version 1"),
            (b"SIMPLEPERF\x01\0", "simpleperf"),
            (&simpleperf, "simpleperf"),
            (b"\xc1\x1f\xfc\xc1\0", "CTF"),
            (b"\xc1\xfc\x1f\xc1\0", "CTF"),
            (b"\x57\x1d\xd1\x75\0", "CTF"),
            (b"/* CTF 1.8 */\ntrace {\n", "CTF"),
            (b"Samples do not have callchains.\n           time    cpu  task name                       wait time  sch delay   run time\n", "timehist"),
            (b"\n ------\n  Task                  |   Runtime ms  | Switches | Avg delay ms    | Max delay ms    |\n", "sched latency"),
            (b"{\"traceEvents\":[{\"ph\":\"X\"}]}", "Chrome JSON without"),
            (b"<!DOCTYPE html>\n<html></html>", "HTML page without"),
            (b"swapper 0 100.000000:  sched:sched_wakeup: comm=a pid=1 prio=120 target_cpu=000\n", "without them"),
            (b"# tracer: function_graph\n#\n 0)   1.0 us |  f();\n", "function_graph"),
        ] {
            let sentence = Found::expect(bytes).unwrap_err().sentence("file.data");
            assert!(sentence.contains(name) && sentence.len() < 200, "{sentence}");
            assert!(!sentence.contains("numa_maps"), "{sentence}");
        }
        simpleperf[88] = 0;
        simpleperf[80] = 1;
        assert!(Found::expect(&simpleperf).is_ok(), "a feature of perf");
        let note = Found::expect(b"Task failed: the trace has no events\n").unwrap_err();
        assert!(note.to_string().contains("numa_maps"), "{note}");
    }
}
